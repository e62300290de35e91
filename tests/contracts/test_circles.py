"""Nothing imports itself over others, not even for types: neither modules, nor the rooms of a package.

Imports inside of functions and those for types alone count. The package's own `__init__` is left out: it is the face
that hands names on, and is asked for the version.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"
FACE = "tensordbg"

Graph = Mapping[str, set[str]]


def _module_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.Module, known: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


@pytest.fixture(scope="module")
def modules() -> Graph:
    """By module, what it imports of ours."""
    paths = {_module_of(path): path for path in SOURCES.rglob("*.py")}
    known = set(paths) - {FACE}
    return {
        name: {
            each for each in _imported(ast.parse(paths[name].read_text()), set(paths)) if each in known and each != name
        }
        for name in known
    }


def _rooms(modules: Graph, package: str) -> Graph:
    """By module or package that lies in a package itself, which others of these it imports."""
    inside = f"{package}."

    def room(module: str) -> str:
        return module.removeprefix(inside).partition(".")[0]

    found: dict[str, set[str]] = defaultdict(set)
    for module, imported in modules.items():
        if module.startswith(inside):
            found[room(module)] |= {room(each) for each in imported if each.startswith(inside)} - {room(module)}
    return found


def _circle(graph: Graph) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def test_no_module_imports_itself_over_others(modules: Graph) -> None:
    assert _circle(modules) == [], "let it ask for a protocol, or put what both need below them"


def test_the_rooms_of_a_package_stand_on_each_other(modules: Graph) -> None:
    packages = {module.rpartition(".")[0] for module in modules} - {"", FACE}
    circles = {package: _circle(_rooms(modules, package)) for package in sorted(packages)}
    assert {package: circle for package, circle in circles.items() if circle} == {}


def test_a_circle_is_found() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) in (["a", "b", "c", "a"], ["a", "c", "b", "a"])
    modules = {"p.a.x": {"p.b.y"}, "p.b.y": set(), "p.b.z": {"p.a.w"}, "p.a.w": set()}
    assert _circle(modules) == []
    assert set(_circle(_rooms(modules, "p"))) == {"a", "b"}
