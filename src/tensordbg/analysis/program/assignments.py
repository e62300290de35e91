"""The assignments in a program's text: which names are given which values."""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tensordbg.analysis.program.call_results import ANY_NUMBER
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import named
from tensordbg.analysis.program.other_names import (
    StatementsBefore,
    appended,
    parts_of,
    statements_before,
    value_of,
    values_of,
)
from tensordbg.model import Frame
from tensordbg.operations.kinds import Kind

_LONGEST_TEXT = 2_000_000
"""Characters of a file that is still read."""


_OPERATORS: dict[type[ast.operator], Kind] = {
    ast.Add: Kind.ADD,
    ast.Sub: Kind.SUBTRACT,
    ast.Mult: Kind.MULTIPLY,
    ast.Div: Kind.DIVIDE,
    ast.FloorDiv: Kind.DIVIDE_WHOLE,
    ast.Mod: Kind.REMAINDER,
    ast.Pow: Kind.POWER,
    ast.MatMult: Kind.MATMUL,
}
"""The kinds of the operations that Python's operators make."""


@dataclass(frozen=True)
class Statement:
    """An assignment."""

    name: str
    file: str
    function: str
    value: ast.AST
    place: int
    """Which of `targets` it is."""
    targets: int
    """How many names are given; 0 where one function's results are unpacked."""
    is_repeated: bool
    """Whether it stands in a loop of Python's."""
    unpacked: int = 0
    """How many names take the results of one function; `ANY_NUMBER` where one takes all the rest."""

    @property
    def lines(self) -> range:
        """Those of what is assigned."""
        first = getattr(self.value, "lineno", 0)
        return range(first, (getattr(self.value, "end_lineno", None) or first) + 1)

    def is_at(self, frame: Frame) -> bool:
        """Whether a frame stands in it."""
        return (frame.file, frame.function) == (self.file, self.function) and frame.line in self.lines

    def operators(self, op_type: str) -> int:
        """How many operators of Python's in it make such an operation, 1 at least."""
        used = (each.op for each in ast.walk(self.value) if isinstance(each, (ast.BinOp, ast.AugAssign)))
        kind = named(op_type).kind
        return max(1, sum(_OPERATORS.get(type(each)) is kind for each in used))


def statements_of(program: Program, file: str) -> Iterator[Statement]:
    """All assignments of a file."""
    text = program.sources.get(file, "")
    if text and len(text) < _LONGEST_TEXT:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.parse(text)
            yield from _within(tree, _Place(file, "<module>", before=statements_before(tree)))


@dataclass(frozen=True)
class _Place:
    file: str
    function: str
    before: StatementsBefore
    is_repeated: bool = False


def _within(node: ast.AST, place: _Place) -> Iterator[Statement]:
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inner = _Place(place.file, getattr(child, "name", "<lambda>"), place.before)
        elif isinstance(child, (ast.For, ast.AsyncFor, ast.While, ast.comprehension)):
            inner = replace(place, is_repeated=True)
        for target, value in _assignments(child):
            values = values_of(value, child, place.before)
            # What several statements have appended to a list that is an element of this one.
            within = replace(place, is_repeated=True) if len(values) > 1 else place
            for each in values:
                yield from _assigned_names(target, each, within, child)
        yield from _within(child, inner)


def _assignments(node: ast.AST) -> list[tuple[ast.expr, ast.AST]]:
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AugAssign):
        return [(node.target, node)]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    return list(appended(node))


def _assigned_names(target: ast.expr, value: ast.AST, place: _Place, node: ast.AST) -> Iterator[Statement]:
    """What an assignment gives names to, as a whole or as several."""
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield Statement(ast.unparse(target), place.file, place.function, value, 0, 1, place.is_repeated)
    elif isinstance(target, (ast.Tuple, ast.List)):
        leaves, each_alone = list(_leaves(target)), _are_alone(target, value)
        if each_alone and any(isinstance(part, ast.Name) for part in parts_of(value)):
            yield from _renamed(leaves, list(parts_of(value)), place, node)
            return
        # Behind `*rest` the places are not known.
        for number, each in enumerate(itertools.takewhile(lambda leaf: not isinstance(leaf, ast.Starred), leaves)):
            results = ANY_NUMBER if any(isinstance(leaf, ast.Starred) for leaf in leaves) else len(leaves)
            unpacked = 0 if each_alone else results
            targets = len(leaves) if each_alone else 0
            yield Statement(
                ast.unparse(each), place.file, place.function, value, number, targets, place.is_repeated, unpacked
            )


def _renamed(leaves: list[ast.expr], parts: list[ast.expr], place: _Place, node: ast.AST) -> Iterator[Statement]:
    """What `a, b = h, f(x)` gives names to: the names on the right compute nothing, so the others are counted alone."""
    computed = [each for each, part in zip(leaves, parts, strict=True) if not isinstance(part, ast.Name)]
    whole = getattr(node, "value", node)
    for each, part in zip(leaves, parts, strict=True):
        name = ast.unparse(each)
        if not isinstance(part, ast.Name):
            number, count = computed.index(each), len(computed)
            yield Statement(name, place.file, place.function, whole, number, count, place.is_repeated)
        elif (value := value_of(part, node, place.before)) is not part:
            yield Statement(name, place.file, place.function, value, 0, 1, place.is_repeated)


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    """The names in a target, as TensorFlow counts the results of a function: `a, (b, c)` takes three."""
    for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else ():
        yield from _leaves(each) if isinstance(each, (ast.Tuple, ast.List)) else (each,)


def _are_alone(target: ast.expr, value: ast.AST) -> bool:
    """Whether each name in a target is given a value of its own, as in `a, (b, c) = x, (y, z)`."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return not isinstance(target, ast.Starred)
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
        return False
    return all(_are_alone(part, each) for part, each in zip(target.elts, value.elts, strict=True))
