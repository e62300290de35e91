"""From the name of a tensor, as it is typed, to what was recorded of it; a wrong name is answered with the nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.reading import Ints
from tensordbg.analysis.show import near_tensors
from tensordbg.console.runs import Scope
from tensordbg.errors import AbsentError, UsageError

if TYPE_CHECKING:
    from tensordbg.analysis.view.opened import OpenedTrace

_TENSOR = re.compile(r"(?P<node>.+?)(?::(?P<slot>\d+))?(?P<part>\[.*\])?", re.DOTALL)


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
        name: Of a node with a slot, the end of it after a `/` where that is the only one, or of a variable.
        scope: Which tensors count.
        function: Only in functions of this name; empty for all.

    Raises:
        AbsentError: If there is none.
    """
    sites = find_nodes(opened, name.node) or _reads_of_variable(opened, name.node)
    if function:
        sites = [each for each in sites if function in (opened.site(each).function, opened.site(each).given_function)]
    events = _events_of(opened, sites, name.slot or 0)
    if not len(events):
        raise AbsentError(_unknown(opened, name, sites, function))
    within = scope.narrow(events)
    whole = f"{opened.site(sites[0]).site.name}:{name.slot or 0}"
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
    sites = find_nodes(opened, name.node)
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


def _events_of(opened: OpenedTrace, sites: Iterable[int], slot: int) -> Ints:
    table = np.zeros(opened.site_limit, dtype=np.bool_)
    table[list(sites)] = True
    found = np.flatnonzero(table[opened.columns.whole("site")])
    own: Ints = found[opened.columns.whole("slot")[found] == slot]
    return own


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
