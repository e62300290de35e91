"""Docstrings begin with a verb or a noun; CONTRIBUTING.md shows good ones under "How a docstring reads"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"
BEGINNINGS = ("What ", "Of ", "The same")


def breaking(path: Path) -> Iterator[str]:
    """Public definitions of a module, and the module itself, whose docstring begins with other words."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "the module")
            if not name.startswith("_") and (ast.get_docstring(node) or "").startswith(BEGINNINGS):
                yield f"{path.relative_to(PACKAGE)}: {name}"


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    found = [each for path in sorted(PACKAGE.rglob("*.py")) for each in breaking(path)]
    assert not found, "say what it is or what it does"
