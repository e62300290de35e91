"""Docstrings begin with a verb or a noun; CONTRIBUTING.md shows good ones under "How a docstring reads"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"
GONE_THROUGH = ("analysis",)
"""Packages in which all public docstrings follow the rule; of the others their `__init__` does."""
BEGINNINGS = ("What ", "Of ", "The same")


def breaking(path: Path) -> Iterator[str]:
    """Public definitions of a module, and the module itself, whose docstring begins with other words."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "the module")
            if not name.startswith("_") and (ast.get_docstring(node) or "").startswith(BEGINNINGS):
                yield f"{path.relative_to(PACKAGE)}: {name}"


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    modules = {path for package in GONE_THROUGH for path in (PACKAGE / package).rglob("*.py")}
    found = [each for path in sorted(modules | set(PACKAGE.rglob("__init__.py"))) for each in breaking(path)]
    assert not found, "say what it is or what it does"
