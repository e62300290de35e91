"""From the name of a tensor, as it is typed, to what was recorded of it; a wrong name is answered with the nearest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.reading import Ints
from tensordbg.analysis.show import near_tensors
from tensordbg.analysis.view.history import events_of
from tensordbg.console.runs import Scope
from tensordbg.errors import AbsentError, UsageError
from tensordbg.model import TensorRef

if TYPE_CHECKING:
    from tensordbg.analysis.view.opened import OpenedTrace

_TENSOR = re.compile(r"(?P<node>.+?)(?::(?P<slot>\d+))?(?P<part>\[(?!['\"]).*\])?", re.DOTALL)


@dataclass(frozen=True)
class TensorName:
    """The name of a tensor."""

    node: str
    slot: int | None
    """None where none was given: the first then."""
    part: str
    """A slice such as `[0, :, -1]`, empty for the whole tensor."""

    @property
    def text(self) -> str:
        """Node and slot, `Log:0`."""
        return f"{self.node}:{self.slot or 0}"


@dataclass(frozen=True)
class ChosenTensor:
    """A tensor and what was recorded of it."""

    name: str
    """Node and slot."""
    sites: tuple[int, ...]
    """Of that name; several where functions have an operation of the same name."""
    events: Ints
    """In the scope, ascending; one at least."""


def parse_tensor(text: str) -> TensorName:
    """Takes `Log:0[0, :]` apart.

    Raises:
        UsageError: If it is no name.
    """
    match = _TENSOR.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no name of a tensor; write one such as Log:0, or Log:0[0, :]")
    return TensorName(match["node"], int(match["slot"]) if match["slot"] else None, match["part"] or "")


def find_tensor(opened: OpenedTrace, name: TensorName, scope: Scope, function: str = "") -> ChosenTensor:
    """What was recorded of a tensor.

    Args:
        opened: The trace.
        name: Of a node with a slot, the end of it after a `/` where that is the only one, of a variable, or as it
            stands in the program's text.
        scope: Which tensors count.
        function: Only in functions of this name; empty for all.

    Raises:
        AbsentError: If there is none.
    """
    nodes = find_nodes(opened, name.node) or _reads_of_variable(opened, name.node)
    refs = list(_named(opened, name)) or [TensorRef(number, name.slot or 0) for number in nodes]
    if function:
        refs = [
            ref for ref in refs
            if function in (opened.site(ref.site).function, opened.site(ref.site).given_function)
        ]  # fmt: skip
    sites = [ref.site for ref in refs]
    events = events_of(opened, refs)
    if not len(events):
        raise AbsentError(_unknown(opened, name, sites, function))
    within = scope.narrow(events)
    names = {f"{opened.site(ref.site).site.name}:{ref.slot}" for ref in refs}
    whole = names.pop() if len(names) == 1 else name.node
    if not len(within):
        raise AbsentError(f"{whole} was not computed in {scope.text}; `-x all` looks at the whole trace")
    return ChosenTensor(whole, tuple(sites), within)


def find_nodes(opened: OpenedTrace, node: str) -> list[int]:
    """The sites with a name, or if there are none those whose names end so, where it is the end of one name only."""
    found = [number for number, names in opened.sites.items() if names.site.name == node]
    if found:
        return found
    ending = f"/{node}"
    ends = [number for number, names in opened.sites.items() if names.site.name.endswith(ending)]
    return ends if len({opened.site(number).site.name for number in ends}) == 1 else []


def node_of(opened: OpenedTrace, typed: str) -> list[int]:
    """The sites of a node, by its name with or without a slot.

    Raises:
        AbsentError: If there is none.
    """
    name = parse_tensor(typed)
    sites = find_nodes(opened, name.node) or list(dict.fromkeys(ref.site for ref in _named(opened, name)))
    if not sites:
        raise AbsentError(unknown_node(opened, name.node))
    return sites


def unknown_node(opened: OpenedTrace, node: str) -> str:
    """That there is no such node, with the nearest ones."""
    names = [each.site.name for each in opened.sites.values()]
    ends = sorted({each for each in names if each.endswith(f"/{node}")})
    if len(ends) > 1:
        return f"{len(ends)} nodes are named {node!r}; choose one of {', '.join(ends[:3])}"
    near = near_tensors(node, names)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`lt` lists the tensors"
    return f"no node {node!r} is in the trace; {hint}"


def _reads_of_variable(opened: OpenedTrace, name: str) -> list[int]:
    """The sites that read a variable as a whole, by its name, or the end of it where that is the end of one only."""
    variables = opened.program.variables
    wanted = {number for number, each in variables.items() if each.name in (name, f"{name}:0")}
    if not wanted:
        ends = {number for number, each in variables.items() if each.name.endswith(f"/{name}")}
        wanted = ends if len(ends) == 1 else set()
    return [
        number for number, names in opened.sites.items()
        if names.site.op_type == "ReadVariableOp" and wanted.intersection(names.site.reads)
    ]  # fmt: skip


def _named(opened: OpenedTrace, name: TensorName) -> tuple[TensorRef, ...]:
    """The tensors of a name of the program's text."""
    return opened.tensors_named(name.node) if name.slot is None else ()


def _unknown(opened: OpenedTrace, name: TensorName, sites: list[int], function: str) -> str:
    where = f" in a function {function!r}" if function else ""
    if sites and name.slot:
        slots = np.unique(opened.columns.whole("slot")[np.isin(opened.columns.whole("site"), sites)]).tolist()
        had = ", ".join(f"{opened.site(sites[0]).site.name}:{slot}" for slot in slots)
        return f"no tensor {name.text!r}{where} was recorded; that node has {had or 'none that was'}"
    if sites and not function:
        return f"of the node {name.node!r} no tensor was recorded; `ni {name.node}` tells of it"
    recorded = np.flatnonzero(opened.site_counts.events).tolist()
    names = [f"{opened.site(number).site.name}:0" for number in recorded]
    variables = [each.name for each in opened.program.variables.values()]
    ends = sorted({each for each in (*names, *variables) if each.endswith((f"/{name.node}:0", f"/{name.node}"))})
    near = ends[:3] if len(ends) > 1 else near_tensors(name.text, [*names, *variables])
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`lt` lists the tensors"
    return f"no tensor {name.text!r}{where} was recorded; {hint}"
