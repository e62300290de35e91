"""Runs the tests of what has changed, nearest first: `python -m tests.changed [SECONDS] [BASE]`, as `make check` does.

A file of tests is near to a module if it imports it, or imports what imports it; imports inside of functions count.
What has changed is what differs from the commit where this branch left `main`. Tests that start after SECONDS are
skipped and counted, so that one waits no longer than that; those of real programs (tests/e2e, tests/fuzz) run only if
they have changed themselves. `make test` runs them all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WHOLE_PROGRAMS = ("tests/e2e/", "tests/fuzz/")
_IMPORT = re.compile(r"^[ \t]*(?:from[ ]+([\w.]+)[ ]+import[ ]+(\([^)]*\)|[^\n#]*)|import[ ]+([\w.]+))", re.MULTILINE)
UNTIL = "TENSORDBG_TESTS_UNTIL"
"""The variable in which the workers are told when to start no more tests."""


def changed(base: str) -> set[str]:
    """The files that differ from a commit, with new ones, as paths below the root."""
    committed = _git("diff", "--name-only", "--no-renames", base)
    return {*committed, *_git("ls-files", "--others", "--exclude-standard")}


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def left_main() -> str:
    """The commit where this branch left `main`; the last one where there is no `main`."""
    for name in ("main", "origin/main"):
        try:
            return _git("merge-base", "HEAD", name)[0]
        except subprocess.CalledProcessError:
            continue
    return "HEAD"


def importers() -> dict[str, set[str]]:
    """By file, the files that import it."""
    files = {module_of(path.relative_to(ROOT)): str(path.relative_to(ROOT)) for path in _sources()}
    found = defaultdict(set)
    for module, file in files.items():
        for name in _imported((ROOT / file).read_text(encoding="utf-8")):
            if name in files and name != module:
                found[files[name]].add(file)
    return found


def _sources() -> Iterator[Path]:
    yield from (ROOT / "src").rglob("*.py")
    yield from (ROOT / "tests").rglob("*.py")


def module_of(file: Path) -> str:
    """The name by which a file below the root is imported."""
    parts = file.with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(text: str) -> Iterator[str]:
    for package, names, whole in _IMPORT.findall(text):
        yield package or whole
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names))


def nearest(files: Iterable[str], imported_by: dict[str, set[str]]) -> list[str]:
    """The files of tests that import any of these, or what imports them, nearest first."""
    steps = dict.fromkeys(files, 0)
    for file in (queue := list(steps)):
        for each in sorted(imported_by.get(file, ())):
            if each not in steps:
                steps[each] = steps[file] + 1
                queue.append(each)
    own = {f"test_{Path(file).name}" for file in files}
    ranked = sorted(steps, key=lambda file: (steps[file], Path(file).name not in own, file))
    return [file for file in ranked if _is_test(file) and (steps[file] == 0 or not file.startswith(WHOLE_PROGRAMS))]


def _is_test(file: str) -> bool:
    return file.startswith("tests/") and Path(file).name.startswith("test_") and (ROOT / file).exists()


def pytest_runtest_setup() -> None:
    """In the workers: starts no more tests when the time is over."""
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("no time is left for it in `make check`")


def main(words: list[str]) -> int:
    """Runs the tests; returns what pytest does."""
    seconds = float(words[0]) if words else 60.0
    files = nearest(changed(words[1] if len(words) > 1 else left_main()), importers())
    if not files:
        print("make check: no file of tests imports what has changed", file=sys.stderr)
        return 0
    print(f"make check: {len(files)} files of tests, nearest first, for {seconds:g} seconds", file=sys.stderr)
    os.environ[UNTIL] = str(time.time() + seconds)
    order = ["--no-loadscope-reorder", "-n", "logical", "--maxprocesses", "8", "--dist", "loadfile"]
    return int(pytest.main(["-q", "-p", "tests.changed", *order, *files]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
