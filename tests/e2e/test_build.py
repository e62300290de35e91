"""Building where Node does not work goes on without the browser's page, and says so in words that tell what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BROKEN_NPM = """#!/bin/sh
[ "$1" = --version ] && exec echo 11.0.0
echo "npm error network" >&2
exit 7
"""


@pytest.fixture
def broken_node(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine whose Node is recent enough, and whose npm can't install anything."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("npm", BROKEN_NPM), ("node", "#!/bin/sh\necho yes\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}


def run(command: list[object], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, check=False)


def test_make_goes_on_without_the_page(broken_node: dict[str, str], tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "web" / "src").mkdir(parents=True)
    for name in ("Makefile", "web/package.json", "web/package-lock.json"):
        shutil.copy(ROOT / name, checkout / name)
    made = run(["make", "page", f"PYTHON={sys.executable}"], broken_node, checkout)
    assert made.returncode == 0
    assert "make page: left out, since npm could not build it (see above)" in made.stderr
    assert not (checkout / "src").exists()


@pytest.mark.parametrize("has_npm", [True, False])
def test_pip_goes_on_without_the_page(has_npm: bool, broken_node: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "build.cmake"
    script.write_text(
        f'set(SKBUILD_STATE wheel)\nset(CMAKE_CURRENT_SOURCE_DIR "{tmp_path}")\ninclude({ROOT}/cmake/page.cmake)\n'
    )
    cmake = Path(sys.executable).with_name("cmake")
    missing = [] if has_npm else ["-DNPM=NPM-NOTFOUND"]
    built = run([cmake, *missing, "-P", script], broken_node, tmp_path)
    said = " ".join(built.stderr.split())
    assert built.returncode == 0
    reason = "`npm install` ended with 7" if has_npm else "npm is not here"
    assert f"the browser's page is left out, since {reason};" in said
    assert "Install npm and Node.js 20.19 or later" in said
