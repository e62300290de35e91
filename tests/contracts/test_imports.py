"""The import contracts of `pyproject.toml`, and what they cannot see: imports inside of functions."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tensordbg"

FRAMEWORKS = {"jax", "keras", "tensorflow", "torch"}
HOMES = {
    "a2wsgi": ("tensorboard/",),
    "dask": (),
    "distributed": ("engines/dask_engine.py",),
    "duckdb": ("analysis/query.py",),
    "grpc": ("engines/ray_engine.py",),
    "jax": (),
    "keras": ("backends/tensorflow/", "keras.py"),
    "pyarrow": ("trace/",),
    "ray": ("engines/ray_engine.py",),
    "starlette": ("server/",),
    "tensorboard": ("tensorboard/",),
    "tensorflow": ("backends/tensorflow/",),
    "textual": ("console/fullscreen/",),
    "torch": ("backends/torch/",),
    "uvicorn": ("server/",),
}
"""Where each heavy library may be imported, at whatever place in the file."""


def imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def without_type_checking(tree: ast.Module) -> ast.Module:
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"))
    ]
    return tree


@cache
def imported_libraries(path: Path) -> frozenset[str]:
    """What a module imports when it runs, by the first part of each name; read once for all libraries."""
    tree = without_type_checking(ast.parse(path.read_text()))
    return frozenset(name.partition(".")[0] for name in imported_names(tree))


def test_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = lint_imports(no_cache=True)
    assert code == 0, said.getvalue()


@pytest.mark.parametrize("library", sorted(HOMES))
def test_heavy_library_is_imported_only_in_its_home(library: str) -> None:
    strangers = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(HOMES[library]):
            continue
        if library in imported_libraries(path):
            strangers.append(name)
    assert not strangers, f"{library} may be imported in {HOMES[library] or 'no module'} only"
