"""The tensors that statements such as `loss = tf.reduce_mean(x)` give a name to, found in the program's text.

TensorFlow knows nothing of such names. The value of a statement is the last tensor that its line made, if there is one
that nothing else on the line takes; a statement that makes several of them names none.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tensordbg.analysis.program.call_paths import CallPaths
from tensordbg.analysis.program.call_results import (
    ANY_CALL,
    ANY_NUMBER,
    Calls,
    TensorsInCalls,
    Unpacked,
    WithResults,
    eager_calls,
    is_eager_call,
    joined_calls,
    put_together,
    results_in_graph,
    results_of,
)
from tensordbg.analysis.program.composite_notes import eager_composite, wholes
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.element_names import element_names, takes_element
from tensordbg.analysis.program.operations import INPUT, named
from tensordbg.model import ELEMENT_PARTS, NONE, CallKind, Frame, Site, TensorRef
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import PARAMETER

_NAME = re.compile(r"[^\W\d]\w*(?:[.\[][^/]*)?")
"""What may stand left of `=`."""

_BETWEEN_LAYERS = re.compile(r"[./]")
"""What stands between the names of a layer's path."""

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

    def operators(self, op_type: str) -> int:
        """How many operators of Python's in it make such an operation, 1 at least."""
        used = (each.op for each in ast.walk(self.value) if isinstance(each, (ast.BinOp, ast.AugAssign)))
        kind = named(op_type).kind
        return max(1, sum(_OPERATORS.get(type(each)) is kind for each in used))


def assigned_tensors(program: Program, name: str, recorded: Container[TensorRef]) -> TensorsInCalls:
    """The tensors of which events tell that a statement of the program assigns to a name, such as `x` or `self.x`."""
    if not _NAME.fullmatch(name):
        return {}
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        name = ast.unparse(ast.parse(name, mode="eval"))  # with such quotes as the statements have
    mentioned = name.partition("[")[0].rpartition(".")[2]
    statements = [each for file in _files(program, mentioned) for each in _statements(program, file)]
    wanted = [each for each in statements if each.name == name]
    made = _Made.of(program) if wanted else None
    given = [pair for each in wanted for pair in _assigned_by(program, made, each, recorded)] if made else []
    taken = [(ref, ANY_CALL) for ref, each in element_names(program).items() if each == name and ref in recorded]
    return put_together(iter((*given, *taken)))


def assigned_attributes(program: Program, name: str) -> list[str]:
    """The attributes of this name to which statements of the program assign, as they stand there: `self.n` for `n`."""
    statements = (each for file in _files(program, f".{name}") for each in _statements(program, file))
    return list(dict.fromkeys(each.name for each in statements if each.name.endswith(f".{name}")))


def assigned_names(
    program: Program, sites: Collection[int], recorded: Container[TensorRef]
) -> Mapping[TensorRef, Mapping[str, Calls]]:
    """The names that statements give to tensors of some sites of which events tell, each with the calls in which."""
    stacks = {program.sites[site].stack for site in _with_callers(program, sites)}
    lines = {
        (frame.file, frame.function, frame.line)
        for stack in stacks
        for frame in program.stacks.get(stack, ())
        if frame.user
    }
    found: dict[TensorRef, dict[str, Calls]] = {}
    made = _Made.of(program)
    for file in sorted({file for file, _, _ in lines}):
        for each in _statements(program, file):
            if any((file, each.function, line) in lines for line in each.lines):
                for ref, calls in _assigned_by(program, made, each, recorded):
                    names = found.setdefault(ref, {})
                    names[each.name] = joined_calls(names.get(each.name, calls), calls)
    for ref, taken in element_names(program).items():
        if ref in recorded:
            found.setdefault(ref, {})[taken] = ANY_CALL
    return {ref: names for ref, names in found.items() if ref.site in sites}


def _with_callers(program: Program, sites: Collection[int]) -> set[int]:
    """Some sites, and the calls of the functions in which they are."""
    known = {site for site in sites if site in program.sites}
    graphs = waiting = {program.sites[site].function for site in known}
    while waiting:
        calls = {site for graph in waiting for site in program.calls_of.get(graph, ())}
        known |= {site.site for site in calls}
        waiting = {site.function for site in calls} - graphs
        graphs = graphs | waiting
    names = {program.functions[graph].name for graph in graphs if graph in program.functions}
    return known | {site.site for site in program.sites.values() if is_eager_call(site) and site.name in names}


@dataclass(frozen=True)
class _Made:
    """What each line of the program has made."""

    sites: Mapping[int, list[Site]]
    """By stack."""
    frames: Mapping[tuple[str, str], list[tuple[int, int, int]]]
    """By file and function the line, stack and depth of each frame in it, outermost first."""
    paths: CallPaths

    @classmethod
    def of(cls, program: Program) -> _Made:
        sites: dict[int, list[Site]] = {}
        for site in program.sites.values():
            sites.setdefault(site.stack, []).append(site)
        frames: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for number, stack in program.stacks.items():
            for depth, frame in enumerate(stack, 1) if number in sites else ():
                frames.setdefault((frame.file, frame.function), []).append((frame.line, number, depth))
        return cls(sites, frames, CallPaths(program))


def _assigned_by(
    program: Program, made: _Made, statement: _Statement, recorded: Container[TensorRef]
) -> Iterator[tuple[TensorRef, Calls]]:
    """The tensors to which a statement gives its name."""
    for sites in _by_graph_and_caller(program, made, statement):
        for run in _runs(sites, statement):
            if any(map(is_eager_call, run)):
                yield from _value_with_calls(program, made, run, statement, recorded)
            else:
                for ref in _value(program, run, statement, WithResults(program, recorded)):
                    yield from results_in_graph(program, made.paths, ref, recorded)


def _value_with_calls(
    program: Program, made: _Made, sites: list[Site], statement: _Statement, recorded: Container[TensorRef]
) -> Iterator[tuple[TensorRef, Calls]]:
    """What a statement of eager code that calls functions gives its name to: the result of a call, or what follows."""
    calls = eager_calls(sites)
    ends = [site.site for site in sites if site.op_type != INPUT and TensorRef(site.site, 0) in recorded]
    ends = sorted((*ends, *calls.first))[-(statement.targets or 1) :]
    if not calls.is_sure or len(ends) < statement.targets:
        return
    end = ends[statement.place if statement.targets else 0]
    if end not in calls.sites:
        yield from [(TensorRef(end, 0), ANY_CALL)] if statement.targets else []
        return
    result = Unpacked(0, 1) if statement.targets else Unpacked(statement.place, statement.unpacked)
    yield from results_of(program, made.paths, calls.sites[end], result, recorded)


def _by_graph_and_caller(program: Program, made: _Made, statement: _Statement) -> Iterable[list[Site]]:
    """The sites that a statement made, in the order in which they were made; each layer called it by itself.

    What the layers made that the statement calls belongs to it as well.
    """
    groups: dict[tuple[int, str, tuple[Frame, ...]], list[Site]] = {}
    calling: dict[tuple[Frame, ...], set[tuple[int, int]]] = {}
    seen = set()
    for line, number, depth in made.frames.get((statement.file, statement.function), ()):
        if line not in statement.lines or number in seen:
            continue
        seen.add(number)
        constructs = any(frame.function == "__init__" for frame in program.stacks[number][depth:])
        for site in made.sites[number]:
            # The statement gives the object that is made, such as a module, and not what its making computes.
            element = ELEMENT_PARTS in site.attributes and takes_element(statement.value)
            if site.op_type != PARAMETER and not element and not (constructs and site.framework == TORCH):
                groups.setdefault((site.function, _layer(site), program.stacks[number][:depth]), []).append(site)
            if site.call is CallKind.CALL:
                stack = program.stacks[number]
                calling.setdefault(stack[:depth], set()).add((len(stack), site.function))
    # What the statement has had traced it gets as the result of the call.
    own = {frames: {graph for depth, graph in calls if depth == min(calls)[0]} for frames, calls in calling.items()}
    groups = {key: sites for key, sites in groups.items() if key[0] == NONE or key[0] in own.get(key[2], (key[0],))}
    joined: dict[tuple[int, str, tuple[Frame, ...]], list[Site]] = {}
    for (function, layer, frames), sites in groups.items():
        outer = next(each for each in _around(layer) if (function, each, frames) in groups)
        joined.setdefault((function, outer, frames), []).extend(sites)
    return [sorted(sites, key=lambda site: site.site) for sites in joined.values()]


def _layer(site: Site) -> str:
    """The path of the layer that a site is in; empty outside of all, and in a model that bears only its class."""
    said = json.loads(site.layer) if site.layer else {"path": ""}
    path: str = said["path"]
    return "" if path == said.get("class") else path


def _around(layer: str) -> Iterator[str]:
    """The paths around that of a layer, the outermost first, and its own."""
    yield ""
    yield from (layer[: each.start()] for each in _BETWEEN_LAYERS.finditer(layer))
    yield layer


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
    made = [site for site in sites if not _is_parameter(program, site)]
    ends = [site for site in made if TensorRef(site.site, 0) in recorded and site.site not in taken]
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


def _is_parameter(program: Program, site: Site) -> bool:
    """Whether it is an argument of a function that a line has had traced; what a session is fed is a line's own."""
    function = program.functions.get(site.function) if site.argument != NONE else None
    return function is not None and function.stack != NONE


def _put_together(sites: list[Site]) -> TensorRef | None:
    """The elements of the ragged or sparse tensor that is the last thing which eager code made."""
    computed = [site for site in sites if site.op_type != INPUT]
    told = eager_composite(computed[-1].attributes) if computed and computed[-1].function == NONE else None
    return None if told is None else told.elements


def _files(program: Program, text: str) -> list[str]:
    """The program's own files that hold a text."""
    files = {frame.file for frames in program.stacks.values() for frame in frames if frame.user}
    return sorted(file for file in files if text in program.sources.get(file, ""))


def _statements(program: Program, file: str) -> Iterator[_Statement]:
    """All assignments of a file."""
    text = program.sources.get(file, "")
    if text and len(text) < _LONGEST_TEXT:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            yield from _within(ast.parse(text), _Place(file, "<module>"))


@dataclass(frozen=True)
class _Place:
    file: str
    function: str
    is_repeated: bool = False


def _within(node: ast.AST, place: _Place) -> Iterator[_Statement]:
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inner = _Place(place.file, getattr(child, "name", "<lambda>"))
        elif isinstance(child, (ast.For, ast.AsyncFor, ast.While, ast.comprehension)):
            inner = replace(place, is_repeated=True)
        for target, value in _assignments(child):
            yield from _assigned_names(target, value, place)
        yield from _within(child, inner)


def _assignments(node: ast.AST) -> list[tuple[ast.expr, ast.AST]]:
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AugAssign):
        return [(node.target, node)]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    return []


def _assigned_names(target: ast.expr, value: ast.AST, place: _Place) -> Iterator[_Statement]:
    """What an assignment gives names to, as a whole or as several."""
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield _Statement(ast.unparse(target), place.file, place.function, value, 0, 1, place.is_repeated)
    elif isinstance(target, (ast.Tuple, ast.List)):
        leaves, each_alone = list(_leaves(target)), _are_alone(target, value)
        # Behind `*rest` the places are not known.
        for number, each in enumerate(itertools.takewhile(lambda leaf: not isinstance(leaf, ast.Starred), leaves)):
            results = ANY_NUMBER if any(isinstance(leaf, ast.Starred) for leaf in leaves) else len(leaves)
            unpacked = 0 if each_alone else results
            targets = len(leaves) if each_alone else 0
            yield _Statement(
                ast.unparse(each), place.file, place.function, value, number, targets, place.is_repeated, unpacked
            )


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
