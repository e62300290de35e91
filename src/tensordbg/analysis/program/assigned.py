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
from dataclasses import dataclass
from difflib import get_close_matches

from tensordbg.analysis.program.assignments import Statement, statements_of
from tensordbg.analysis.program.call_paths import CallPaths
from tensordbg.analysis.program.call_results import (
    ANY_CALL,
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
from tensordbg.analysis.program.handed_out import handed_out, one_of
from tensordbg.analysis.program.operations import INPUT
from tensordbg.model import ELEMENT_PARTS, NONE, CallKind, Frame, Site, TensorRef
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.lookup import NUMBER, PARAMETER

_NAME = re.compile(r"[^\W\d]\w*(?:[.\[][^/]*)?")
"""What may stand left of `=`."""

_BETWEEN_LAYERS = re.compile(r"[./]")
"""What stands between the names of a layer's path."""


def assigned_tensors(program: Program, name: str, recorded: Container[TensorRef]) -> TensorsInCalls:
    """The tensors of which events tell that a statement of the program assigns to a name, such as `x` or `self.x`."""
    if not _NAME.fullmatch(name):
        return {}
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        name = ast.unparse(ast.parse(name, mode="eval"))  # with such quotes as the statements have
    mentioned = name.partition("[")[0].rpartition(".")[2]
    statements = [each for file in _files(program, mentioned) for each in statements_of(program, file)]
    wanted = [each for each in statements if each.name == name]
    made = _Made.of(program) if wanted else None
    given = [pair for each in wanted for pair in _assigned_by(program, made, each, recorded)] if made else []
    taken = [(ref, ANY_CALL) for ref, each in element_names(program).items() if each == name and ref in recorded]
    return put_together(iter((*given, *taken)))


def near_assigned(program: Program, typed: str, recorded: Container[TensorRef], most: int) -> list[str]:
    """The names most like a wrong one to which statements of the program assign tensors of which events tell."""
    files = {frame.file for stack in program.stacks.values() for frame in stack if frame.user}
    names = {each.name for file in sorted(files) for each in statements_of(program, file)}
    near = get_close_matches(typed, sorted(names), n=most)
    return [name for name in near if assigned_tensors(program, name, recorded)]


def assigned_attributes(program: Program, name: str) -> list[str]:
    """The attributes of this name to which statements of the program assign, as they stand there: `self.n` for `n`."""
    statements = (each for file in _files(program, f".{name}") for each in statements_of(program, file))
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
        for each in statements_of(program, file):
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
    program: Program, made: _Made, statement: Statement, recorded: Container[TensorRef]
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
    program: Program, made: _Made, sites: list[Site], statement: Statement, recorded: Container[TensorRef]
) -> Iterator[tuple[TensorRef, Calls]]:
    """What a statement of eager code that calls functions gives its name to: the result of a call, or what follows."""
    calls = eager_calls(sites)
    ends = [site.site for site in sites if _is_computed(site) and TensorRef(site.site, 0) in recorded]
    ends = sorted((*ends, *calls.first))[-(statement.targets or 1) :]
    if not calls.is_sure or len(ends) < statement.targets:
        return
    end = ends[statement.place if statement.targets else 0]
    if end not in calls.sites:
        yield from [(TensorRef(end, 0), ANY_CALL)] if statement.targets else []
        return
    result = Unpacked(0, 1) if statement.targets else Unpacked(statement.place, statement.unpacked)
    yield from results_of(program, made.paths, calls.sites[end], result, recorded)


def _by_graph_and_caller(program: Program, made: _Made, statement: Statement) -> Iterable[list[Site]]:
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


def _runs(sites: list[Site], statement: Statement) -> list[list[Site]]:
    """The sites of each time that a statement ran while one graph was built: a loop of Python's is unrolled there."""
    first = sites[0]
    if not statement.is_repeated or first.function == NONE:
        return [sites]
    begins = [k for k, site in enumerate(sites) if (site.stack, site.op_type) == (first.stack, first.op_type)]
    begins = begins[:: statement.operators(first.op_type)]
    return [sites[begin:end] for begin, end in zip(begins, [*begins[1:], len(sites)], strict=True)]


def _value(
    program: Program, sites: list[Site], statement: Statement, recorded: Container[TensorRef]
) -> list[TensorRef]:
    """What one run of a statement gives its name to, by the sites that it made in one graph, or eagerly."""
    if not statement.targets:
        several = [site for site in sites if len(site.dtypes) > 1 or _is_unpacked(program, site, statement, recorded)]
        handed = [ref for site in several[-1:] for ref in handed_out(program, site, recorded)]
        if len(handed) == statement.unpacked:
            return [handed[statement.place]]
        wanted = [TensorRef(site.site, statement.place) for site in several[-1:]]
        return [ref for ref in wanted if ref in recorded]
    put_together = _put_together(sites)
    if put_together is not None and statement.targets:
        return [ref for ref in [put_together] if ref in recorded and statement.targets == 1]
    taken = {ref.site for site in sites for ref in program.inputs_of(site.site)}
    made = [site for site in sites if not _is_parameter(program, site)]
    ends = [site for site in made if TensorRef(site.site, 0) in recorded and site.site not in taken]
    loops = [site for site in made if site.call is CallKind.WHILE and site.site not in taken]
    results = [ref for site in loops for ref in handed_out(program, site, recorded)]
    if results and not any(site.site > loops[-1].site for site in ends):
        return one_of(results, statement)
    if sites[0].function == NONE:
        # What eager operations take is known of each run alone, and what comes from Python is told after it.
        ends = _ends_of_parts(program, [site for site in ends if _is_computed(site)], statement)
    # Of a ragged or sparse tensor the elements stand for all of its parts.
    whole = wholes(sites)
    found = list(dict.fromkeys(whole.get(ref, ref) for ref in (TensorRef(site.site, 0) for site in ends)))
    if len(found) == statement.targets:
        return [found[statement.place]]
    # The rest are checks of the parts.
    last = sorted(whole.values(), key=lambda ref: ref.site)[-1:]
    return [ref for ref in last if ref in recorded and statement.targets == 1]


def _is_computed(site: Site) -> bool:
    """Whether it is no value that came from Python, nor a number of the program's text."""
    return site.op_type not in (INPUT, NUMBER)


def _ends_of_parts(program: Program, sites: list[Site], statement: Statement) -> list[Site]:
    """The last site of each value, of those that a statement made eagerly; all of them where that is not sure.

    The parts of `a, b = f(x), g(x)` are told apart by the functions that they call.
    """
    if statement.targets == 1:
        return sites[-1:]
    parts = [list(part) for _, part in itertools.groupby(sites, lambda site: _called(program, site, statement))]
    return [part[-1] for part in parts] if len(parts) == statement.targets else sites


def _called(program: Program, site: Site, statement: Statement) -> tuple[str, str]:
    """The function that a statement called to make a site, with its file; empty where it made it itself."""
    stack = program.stacks.get(site.stack, ())
    around = itertools.dropwhile(lambda frame: not statement.is_at(frame), stack)
    return next(((frame.file, frame.function) for frame in itertools.islice(around, 1, None) if frame.user), ("", ""))


def _is_unpacked(program: Program, site: Site, statement: Statement, recorded: Container[TensorRef]) -> bool:
    """Whether a statement takes apart what an eager operation of its own puts out, as `values, places = x.sort()`."""
    slots = itertools.takewhile(lambda slot: TensorRef(site.site, slot) in recorded, itertools.count())
    own = site.function == NONE and _called(program, site, statement) == ("", "")
    return own and 1 < statement.unpacked == sum(1 for _ in slots)


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
