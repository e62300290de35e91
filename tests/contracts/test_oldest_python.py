"""The package runs on the oldest Python that `pyproject.toml` allows: it has no syntax and takes no name of later ones.

Tests run on a later Python, so that what an older one lacks would be seen by users alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tensordbg

SOURCES = Path(tensordbg.__file__).parent
PROJECT = Path(__file__).parents[2] / "pyproject.toml"

MODULES = {"tomllib", "wsgiref.types"}
NAMES = {
    *("BaseExceptionGroup", "ExceptionGroup"),
    *("asyncio.Runner", "asyncio.TaskGroup", "asyncio.timeout", "contextlib.chdir", "datetime.UTC", "dis.Positions"),
    *("enum.EnumCheck", "enum.ReprEnum", "enum.StrEnum", "enum.member", "enum.nonmember", "enum.verify"),
    *("hashlib.file_digest", "inspect.getmembers_static", "itertools.batched", "logging.getLevelNamesMapping"),
    *("math.cbrt", "math.exp2", "operator.call", "re.NOFLAG", "sys.activate_stack_trampoline", "sys.exception"),
    *("sys.monitoring", "types.get_original_bases", "inspect.markcoroutinefunction", "inspect.BufferFlags"),
    *("typing.LiteralString", "typing.Never", "typing.NotRequired", "typing.Required", "typing.Self"),
    *("typing.TypeAliasType", "typing.TypeVarTuple", "typing.Unpack", "typing.assert_never", "typing.assert_type"),
    *("typing.dataclass_transform", "typing.get_overloads", "typing.override", "typing.reveal_type"),
}
"""What was added after 3.10 to modules that it has."""
ATTRIBUTES = {"add_note", "__notes__", "co_positions", "co_qualname"}
"""What objects have only since then; `getattr(code, "co_positions", None)` asks for it."""


def lacking_in_the_oldest(source: str) -> Iterator[tuple[int, str]]:
    """Each name and piece of syntax that the oldest Python lacks, with its line."""
    tree = ast.parse(source)
    later = {id(each) for block in ast.walk(tree) if _asks_for_later(block) for each in _guarded(block)}
    for node in ast.walk(tree):
        if id(node) not in later:
            yield from ((getattr(node, "lineno", 0), name) for name in _later_names(node))


def _later_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in MODULES)
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
        yield from (name for name in names if name in MODULES | NAMES)
    elif isinstance(node, ast.Attribute):
        if node.attr in ATTRIBUTES or ast.unparse(node) in NAMES:
            yield ast.unparse(node)
    elif isinstance(node, ast.Name):
        yield from {node.id} & NAMES
    elif isinstance(node, ast.Subscript) and _unpacks(node.slice):
        yield ast.unparse(node)
    elif type(node).__name__ in {"TryStar", "TypeAlias", "TypeVar"}:
        yield type(node).__name__


def _unpacks(index: ast.expr) -> bool:
    """Whether there is a star in an index without parentheses."""
    if not isinstance(index, ast.Tuple) or not any(isinstance(each, ast.Starred) for each in index.elts):
        return False
    first = index.elts[0]
    return (index.lineno, index.col_offset) == (first.lineno, first.col_offset)


def _asks_for_later(block: ast.AST) -> bool:
    """Whether it asks for the version, or is for type checkers alone."""
    return isinstance(block, ast.If) and any(
        name in ast.unparse(block.test) for name in ("sys.version_info >=", "TYPE_CHECKING")
    )


def _guarded(block: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(block, ast.If)
    for statement in block.body:
        yield from ast.walk(statement)


def test_what_the_oldest_lacks_is_found() -> None:
    found = [
        "import tomllib",
        "from typing import Self",
        "import datetime\nx = datetime.UTC",
        "frame.f_code.co_positions()",
        "try:\n    f()\nexcept* ValueError:\n    pass",
        "x: tuple[*y]",
        "if sys.version_info >= (3, 11):\n    import tomli\nelse:\n    import tomllib",
    ]
    assert [len(list(lacking_in_the_oldest(source))) for source in found] == [1] * len(found)
    allowed = [
        "if sys.version_info >= (3, 11):\n    import tomllib",
        "if TYPE_CHECKING:\n    from typing import Self",
        "told = getattr(code, 'co_positions', None)",
    ]
    assert [list(lacking_in_the_oldest(source)) for source in allowed] == [[]] * len(allowed)


def test_the_oldest_is_the_one_looked_at() -> None:
    text = PROJECT.read_text(encoding="utf-8")
    assert (
        re.findall(r'^(?:requires-python = ">=|target-version = "py)(\d)\.?(\d+)"', text, re.MULTILINE)
        == [("3", "10")] * 2
    ), "the contract knows what 3.10 lacks; bring its lists up to the version that is the oldest now"


def test_the_package_has_nothing_of_that() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}: Python 3.10 lacks `{name}`; do without it, or ask for the version before"
        for path in sorted(SOURCES.rglob("*.py"))
        for line, name in lacking_in_the_oldest(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)
