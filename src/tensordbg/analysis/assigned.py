"""The tensors that statements such as `loss = tf.reduce_mean(x)` give a name to, found in the program's text.

TensorFlow knows nothing of such names. The value of a statement is the last tensor that its line made, if there is one
that nothing else on the line takes; a statement that makes several of them names none.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace

from tensordbg.analysis.composite_notes import eager_composite, wholes
from tensordbg.analysis.operations import INPUT, named
from tensordbg.analysis.program import Program
from tensordbg.model import NONE, Frame, Site, TensorRef
from tensordbg.operations.kinds import Kind

_NAME = re.compile(r"[^\W\d]\w*(?:[.\[][^/]*)?")
"""What may stand left of `=`."""

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
class _Statement:
    """An assignment to the name that is looked for."""

    file: str
    function: str
    value: ast.AST
    place: int
    """Which of `targets` it is."""
    targets: int
    """How many names are given; 0 where one function's results are unpacked."""
    is_repeated: bool
    """Whether it stands in a loop of Python's."""

    @property
    def lines(self) -> range:
        """Those of what is assigned."""
        first = getattr(self.value, "lineno", 0)
        return range(first, (getattr(self.value, "end_lineno", None) or first) + 1)

    def operators(self, op_type: str) -> int:
        """How many operators of Python's in it make such an operation, 1 at least."""
        used = (each.op for each in ast.walk(self.value) if isinstance(each, (ast.BinOp, ast.AugAssign)))
        kind = named(op_type).kind
        return max(1, sum(_OPERATORS.get(type(each)) is kind for each in used))


def assigned_tensors(program: Program, name: str, recorded: Container[TensorRef]) -> tuple[TensorRef, ...]:
    """The tensors of which events tell that a statement of the program assigns to a name, such as `x` or `self.x`."""
    statements = list(_statements(program, name)) if _NAME.fullmatch(name) else []
    if not statements:
        return ()
    by_stack: dict[int, list[Site]] = {}
    for site in program.sites.values():
        by_stack.setdefault(site.stack, []).append(site)
    found: list[TensorRef] = []
    for statement in statements:
        for sites in _by_graph_and_caller(program, by_stack, statement):
            for run in _runs(sites, statement):
                found += _value(program, run, statement, recorded)
    return tuple(dict.fromkeys(found))


def _by_graph_and_caller(
    program: Program, by_stack: dict[int, list[Site]], statement: _Statement
) -> Iterable[list[Site]]:
    """The sites that a statement made, in the order in which they were made; each layer called it by itself."""
    groups: dict[tuple[int, str, tuple[Frame, ...]], list[Site]] = {}
    for number, frames in program.stacks.items():
        depth = _depth(frames, statement) if number in by_stack else None
        for site in by_stack[number] if depth is not None else ():
            layer = json.loads(site.layer)["path"] if site.layer else ""
            groups.setdefault((site.function, layer, frames[:depth]), []).append(site)
    return [sorted(sites, key=lambda site: site.site) for sites in groups.values()]


def _depth(frames: tuple[Frame, ...], statement: _Statement) -> int | None:
    """How many frames there are down to the statement's own, None where it did not make the operation."""
    for depth, frame in enumerate(frames, 1):
        if frame.file == statement.file and frame.line in statement.lines and frame.function == statement.function:
            return depth
    return None


def _runs(sites: list[Site], statement: _Statement) -> list[list[Site]]:
    """The sites of each time that a statement ran while one graph was built: a loop of Python's is unrolled there."""
    first = sites[0]
    if not statement.is_repeated or first.function == NONE:
        return [sites]
    begins = [k for k, site in enumerate(sites) if (site.stack, site.op_type) == (first.stack, first.op_type)]
    begins = begins[:: statement.operators(first.op_type)]
    return [sites[begin:end] for begin, end in zip(begins, [*begins[1:], len(sites)], strict=True)]


def _value(
    program: Program, sites: list[Site], statement: _Statement, recorded: Container[TensorRef]
) -> list[TensorRef]:
    """What one run of a statement gives its name to, by the sites that it made in one graph, or eagerly."""
    if not statement.targets:
        several = [site for site in sites if len(site.dtypes) > 1]
        wanted = [TensorRef(site.site, statement.place) for site in several[-1:]]
        return [ref for ref in wanted if ref in recorded]
    put_together = _put_together(sites)
    if put_together is not None and statement.targets:
        return [ref for ref in [put_together] if ref in recorded and statement.targets == 1]
    taken = {ref.site for site in sites for ref in program.inputs_of(site.site)}
    ends = [site for site in sites if TensorRef(site.site, 0) in recorded and site.site not in taken]
    if sites[0].function == NONE:
        # What eager operations take is known of each run alone, and what comes from Python is told after it.
        ends = [site for site in ends if site.op_type != INPUT][-statement.targets :]
    # Of a ragged or sparse tensor the elements stand for all of its parts.
    whole = wholes(sites)
    found = list(dict.fromkeys(whole.get(ref, ref) for ref in (TensorRef(site.site, 0) for site in ends)))
    if len(found) == statement.targets:
        return [found[statement.place]]
    # The rest are checks of the parts.
    last = sorted(whole.values(), key=lambda ref: ref.site)[-1:]
    return [ref for ref in last if ref in recorded and statement.targets == 1]


def _put_together(sites: list[Site]) -> TensorRef | None:
    """The elements of the ragged or sparse tensor that is the last thing which eager code made."""
    computed = [site for site in sites if site.op_type != INPUT]
    told = eager_composite(computed[-1].attributes) if computed and computed[-1].function == NONE else None
    return None if told is None else told.elements


def _statements(program: Program, name: str) -> Iterator[_Statement]:
    files = {frame.file for frames in program.stacks.values() for frame in frames if frame.user}
    for file in sorted(files):
        text = program.sources.get(file, "")
        if name.rpartition(".")[2] in text and len(text) < _LONGEST_TEXT:
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            yield from _within(tree, _Place(file, "<module>"), name)


@dataclass(frozen=True)
class _Place:
    file: str
    function: str
    is_repeated: bool = False


def _within(node: ast.AST, place: _Place, name: str) -> Iterator[_Statement]:
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inner = _Place(place.file, getattr(child, "name", "<lambda>"))
        elif isinstance(child, (ast.For, ast.AsyncFor, ast.While, ast.comprehension)):
            inner = replace(place, is_repeated=True)
        for target, value in _assignments(child):
            yield from _given(target, value, place, name)
        yield from _within(child, inner, name)


def _assignments(node: ast.AST) -> list[tuple[ast.expr, ast.AST]]:
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AugAssign):
        return [(node.target, node)]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    return []


def _given(target: ast.expr, value: ast.AST, place: _Place, name: str) -> Iterator[_Statement]:
    """Whether an assignment gives the name, as a whole or as one of several."""
    if ast.unparse(target) == name:
        yield _Statement(place.file, place.function, value, 0, 1, place.is_repeated)
    elif isinstance(target, (ast.Tuple, ast.List)):
        names = [ast.unparse(each) for each in target.elts]
        is_tuple = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(names)
        if name in names:
            targets = len(names) if is_tuple else 0
            yield _Statement(place.file, place.function, value, names.index(name), targets, place.is_repeated)
