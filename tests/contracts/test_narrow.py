"""Functions say which few things of a trace they need: none takes `OpenedTrace`, which has them all, for that.

It is held by what opens traces and hands them on; what is asked of it is said by the protocols beside each question.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tensordbg

SOURCES = Path(tensordbg.__file__).parent
WIDE = "OpenedTrace"
HOLDERS = {
    "analysis/view/following.py",
    "analysis/view/opened.py",
    "console/console.py",
    "console/looked_at.py",
    "debug/reasons/newest.py",
    "wire/view/answers.py",
}
"""The modules that open a trace, or hand on what another has opened."""


def _parameters(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The parameters of functions and the fields of classes, whose types say what is taken; each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield node.lineno, ast.unparse(node.annotation)
        elif isinstance(node, ast.ClassDef):
            fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
            yield from ((each.lineno, ast.unparse(each.annotation)) for each in fields)


def _takes_all(source: str) -> list[int]:
    return [line for line, annotation in _parameters(ast.parse(source)) if WIDE in annotation]


def test_nothing_takes_an_opened_trace_whole() -> None:
    found = {
        f"{path.relative_to(SOURCES)}:{line}" for path in SOURCES.rglob("*.py") for line in _takes_all(path.read_text())
    }
    assert not found, "name a protocol with what it needs, such as `NamedEvents`"


def test_only_those_know_it_that_open_traces() -> None:
    known = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and WIDE in {each.name for each in node.names}
    }
    assert known <= HOLDERS


def test_what_takes_it_whole_is_found() -> None:
    assert _takes_all("def f(a: int, *, b: dict[str, OpenedTrace]) -> None: ...") == [1]
    assert _takes_all("class A:\n    opened: OpenedTrace\n") == [2]
    assert _takes_all("def f(opened: NamedEvents) -> OpenedTrace: ...") == []
