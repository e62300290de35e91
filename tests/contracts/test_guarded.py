"""What a guarded block was to bind is not read behind it, where a fault in the block would raise in the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tensordbg

SOURCES = Path(tensordbg.__file__).parent
SWALLOWS = {"guard", "Guard", "suppress", "_guard"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def unbound_behind(source: str) -> Iterator[tuple[int, str]]:
    """Each name read behind a block that swallows faults and bound nowhere but in it, with the line that reads it."""
    for function in (each for each in ast.walk(ast.parse(source)) if isinstance(each, Function)):
        names = [each for each in _own(function) if isinstance(each, ast.Name)]
        for block in (each for each in _own(function) if isinstance(each, ast.With) and _swallows(each)):
            first, last = block.body[0].lineno, block.end_lineno or block.lineno
            bound = {each.id for each in names if _stores(each) and first <= each.lineno <= last}
            elsewhere = {each.id for each in names if _stores(each) and not first <= each.lineno <= last}
            elsewhere |= {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
            if not isinstance(block.body[-1], ast.Return):
                for each in names:
                    if each.lineno > last and each.id in bound - elsewhere:
                        yield each.lineno, each.id


def _own(function: Function) -> Iterator[ast.AST]:
    """The parts of a function that aren't of a function inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(part))


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _swallows(block: ast.With) -> bool:
    called = (each.context_expr.func for each in block.items if isinstance(each.context_expr, ast.Call))
    return any(
        (each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")) in SWALLOWS for each in called
    )


def test_one_that_is_unbound_is_found() -> None:
    source = "def f(self):\n    with self.guard('x'):\n        told = g()\n        return told\n    return told\n"
    assert list(unbound_behind(source)) == []
    source = "def f(self):\n    with self.guard('x'):\n        told = g()\n    return told\n"
    assert list(unbound_behind(source)) == [(4, "told")]
    assert list(unbound_behind(source.replace("    with", "    told = None\n    with"))) == []


def test_none_is_read() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {name} may be unbound, since a guard or `suppress` may end the block; "
        "bind it before the block, or read it inside"
        for path in sorted(SOURCES.rglob("*.py"))
        for line, name in unbound_behind(path.read_text())
    ]
    assert not found, "\n".join(found)
