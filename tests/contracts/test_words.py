"""What must not be in the repository: paths of somebody's machine, addresses of package registries, leftovers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FORBIDDEN = {
    "a path of somebody's machine": r"/(?:home|Users)/(?!(?:me|user)/)\w|/root/\w",
    "the address of a package registry": r"(?:pypi|pythonhosted|npmjs)\.org",
    "a leftover": r"\b(?:XXX|FIXME)\b|<<<<<<<|>>>>>>>",
}
EXCEPT = {"tests/contracts/test_words.py"}


def tracked_texts() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("this is not a git checkout")
    texts = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if name in EXCEPT or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            texts[name] = content.decode()
    return texts


@pytest.mark.parametrize("kind", sorted(FORBIDDEN))
def test_no_file_holds(kind: str) -> None:
    pattern = re.compile(FORBIDDEN[kind])
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in tracked_texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"{kind}:\n" + "\n".join(found)
