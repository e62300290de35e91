"""Budgets of size: a file is one idea, a function fits a screen, a signature stays short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE_LINES = 400
TEST_FILE_LINES = 600
"""More than elsewhere, since tables of cases are read line by line."""
FUNCTION_LINES = 60
FUNCTION_ARGUMENTS = 6

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


def functions(path: Path) -> Iterator[Definition]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_and_its_functions_stay_small(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    most = TEST_FILE_LINES if path.is_relative_to(ROOT / "tests") else FILE_LINES
    assert lines <= most, "make two modules of it"
    long = [f"{node.name}, line {node.lineno}" for node in functions(path) if length(node) > FUNCTION_LINES]
    assert not long, f"these have more than {FUNCTION_LINES} lines"


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_native_file_stays_small_and_opens_with_what_it_is_for(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= FILE_LINES, "make two files of it"
    told_by_header = path.suffix == ".cpp" and path.with_suffix(".h").exists()
    assert told_by_header or lines[0].startswith(("//", "/*")), "the first thing in a file is what it is for"


def length(node: Definition) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize(
    "path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_module_opens_with_what_it_is_for(path: Path) -> None:
    text = path.read_text()
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "the first thing in a module is a docstring"
