"""Budgets of size: a file is one idea, a function fits a screen, a signature stays short."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
FILE_LINES = 400
TEST_FILE_LINES = 600
"""More than elsewhere, since tables of cases are read line by line."""
FUNCTION_LINES = 60

FILES = sorted(
    path for folder in ("src", "tests", "examples", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")
)
NATIVE = sorted(
    path
    for folder in ("src", "native")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".cpp", ".h", ".cu"} and "node_modules" not in path.parts
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def test_files_stay_small() -> None:
    long = [path for path in FILES if _lines(path) > (TEST_FILE_LINES if path.is_relative_to(TESTS) else FILE_LINES)]
    assert _named(long) == [], "make two modules of each"


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in FILES
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > FUNCTION_LINES
    ]
    assert long == [], f"these have more than {FUNCTION_LINES} lines"


def test_native_files_stay_small_and_open_with_what_they_are_for() -> None:
    assert _named([path for path in NATIVE if _lines(path) > FILE_LINES]) == [], "make two files of each"
    # What a header says holds for the file that goes with it.
    own = [path for path in NATIVE if path.suffix != ".cpp" or not path.with_suffix(".h").exists()]
    assert _named([path for path in own if not path.read_text().startswith(("//", "/*"))]) == []


def test_modules_open_with_what_they_are_for() -> None:
    package = [path for path in FILES if path.is_relative_to(ROOT / "src")]
    silent = [path for path in package if path.read_text().strip() and not ast.get_docstring(_parsed(path))]
    assert _named(silent) == [], "the first thing in a module is a docstring"


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def _length(node: Definition) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _named(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]
