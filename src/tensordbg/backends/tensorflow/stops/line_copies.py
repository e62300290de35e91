"""Finds the lines of interest in functions of which pipelines have copies: no stop can be put into these any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.live import LiveFunction, live_functions
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.model import NONE, Frame
from tensordbg.operations.pipeline_names import program_title
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.lines import LineWatch


def lines_in_copies(catalog: Catalog, lines: LineWatch) -> dict[str, tuple[Frame, ...]]:
    """By the name of the function that a dataset was given, the lines of interest in it and in what it calls."""
    live = {each.name: each for each in live_functions() if each.graph is not None}
    found = {}
    for each in live.values():
        if not each.replaceable:
            met = dict.fromkeys(frame for part in _parts(each, live) for frame in _met(part, catalog, lines))
            found[_title(each, catalog)] = tuple(met)
    return found


def _title(function: LiveFunction, catalog: Catalog) -> str:
    known = hooks().functions.find(function.name)
    stack = NONE if known is None else catalog.function(known.number).stack
    return program_title(str(function.graph.name), () if stack == NONE else catalog.frames(stack))


def _parts(function: LiveFunction, live: Mapping[str, LiveFunction]) -> Iterator[LiveFunction]:
    """A function, and all that it names."""
    waiting, seen = [function], {function.name}
    while waiting:
        each = waiting.pop()
        yield each
        definition = each.function.cached_definition
        named = {called.name for node in definition.node_def for called in fd.functions_named(node)}
        waiting.extend(live[name] for name in sorted(named - seen) if name in live)
        seen |= named


def _met(part: LiveFunction, catalog: Catalog, lines: LineWatch) -> Iterator[Frame]:
    known = hooks().functions.find(part.name)
    if known is None:
        return
    # Above stands what had the function traced.
    stack = catalog.function(known.number).stack
    above = len(() if stack == NONE else catalog.frames(stack))
    for number in set(hooks().stacks.of_operations(part.graph.get_operations()).values()) - {NONE}:
        frames = catalog.frames(number)[above:]
        depth = lines.depth(frames)
        if depth is not None:
            yield frames[depth]
