"""From the name of a tensor, as it is typed, to what was recorded of it; a wrong name is answered with the nearest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.names.naming import AllTensors, Named, find_named, near_tensors, nearest
from tensordbg.analysis.view.table.history import events_of
from tensordbg.console.names.runs import Scope
from tensordbg.errors import AbsentError, UsageError
from tensordbg.model import TensorRef

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.sites import NamedSites
    from tensordbg.analysis.view.table.history import NamedTensors

_TENSOR = re.compile(r"(?P<node>.+?)(?::(?P<slot>\d+))?(?P<part>\[(?!['\"]).*\])?", re.DOTALL)

_INDEX = re.compile(r"\[\d+\]")
"""A bracket with a number, as it stands behind the name of a list."""


@dataclass(frozen=True)
class TensorName:
    """The name of a tensor."""

    node: str
    slot: int | None
    """None where none was given: the first then."""
    part: str
    """A slice such as `[0, :, -1]`, empty for the whole tensor."""

    @property
    def typed(self) -> str:
        """Node and slot as they were typed."""
        return self.node if self.slot is None else self.text

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


def typed_tensor(opened: NamedTensors, text: str) -> TensorName:
    """Parses as `parse_tensor` does; brackets may be part of a name of the program's text: `more[1]`, `more[1][0]`.

    Raises:
        UsageError: If it is no name.
    """
    name = parse_tensor(text)
    if not name.part or name.slot is not None or opened.named(name.node).tensors:
        return name
    ends = [match.end() for match in _INDEX.finditer(name.part)]
    for end in reversed(ends):  # the longest name that is one
        node = f"{name.node}{name.part[:end]}"
        if opened.named(node).tensors:
            return TensorName(node, None, name.part[end:])
    return name


def find_tensor(opened: NamedTensors, name: TensorName, scope: Scope, function: str = "") -> ChosenTensor:
    """The events that were recorded of a tensor.

    Args:
        opened: The trace.
        name: Any that `naming` knows.
        scope: Which tensors count.
        function: Only in functions of this name; empty for all.

    Raises:
        AbsentError: If there is none.
    """
    named = opened.named(name.typed)
    groups = {
        each: [ref for ref in refs if not function or _is_in(opened, ref, function)]
        for each, refs in named.groups.items()
    }
    groups = {each: refs for each, refs in groups.items() if refs}
    if len(groups) > 1:
        raise AbsentError(Named({each: tuple(refs) for each, refs in groups.items()}).choices(name.typed))
    refs = [ref for found in groups.values() for ref in found]
    sites = [ref.site for ref in refs]
    events = events_of(opened, refs, named.calls)
    if not len(events):
        raise AbsentError(_unknown(opened, name, find_nodes(opened, name.node), function))
    within = scope.narrow(events)
    names = {f"{opened.site(ref.site).site.name}:{ref.slot}" for ref in refs}
    whole = names.pop() if len(names) == 1 else name.node
    if not len(within):
        raise AbsentError(f"{whole} was not computed in {scope.text}; `-x all` looks at the whole trace")
    return ChosenTensor(whole, tuple(sites), within)


def find_nodes(opened: NamedTensors, typed: str) -> list[int]:
    """The sites that a name means, recorded or not; none where there is no such, or it may mean several."""
    named = opened.named(typed)
    if not named.tensors:
        named = find_named(opened.program, typed, AllTensors())
    return list(dict.fromkeys(ref.site for ref in named.tensors)) if named.name else []


def node_of(opened: NamedTensors, typed: str) -> list[int]:
    """The sites of a node, by its name with or without a slot.

    Raises:
        AbsentError: If there is none.
    """
    name = typed_tensor(opened, typed)
    sites = find_nodes(opened, name.node)
    if not sites:
        raise AbsentError(unknown_node(opened, name.node))
    return sites


def unknown_node(opened: NamedTensors, node: str) -> str:
    """That there is no such node, with the nearest ones."""
    choices = opened.named(node).choices(node) or find_named(opened.program, node, AllTensors()).choices(node)
    if choices:
        return choices
    near = near_tensors(node, [each.site.name for each in opened.sites.values()])
    near = near or nearest(opened.program, node, opened.recorded)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`lt` lists the tensors"
    return f"no node {node!r} is in the trace; {hint}"


def _is_in(opened: NamedSites, ref: TensorRef, function: str) -> bool:
    return function in (opened.site(ref.site).function, opened.site(ref.site).given_function)


def _unknown(opened: NamedTensors, name: TensorName, sites: list[int], function: str) -> str:
    where = f" in a function {function!r}" if function else ""
    if sites and name.slot:
        slots = np.unique(opened.columns.whole("slot")[np.isin(opened.columns.whole("site"), sites)]).tolist()
        had = ", ".join(f"{opened.site(sites[0]).site.name}:{slot}" for slot in slots)
        return f"no tensor {name.text!r}{where} was recorded; that node has {had or 'none that was'}"
    if sites and not function:
        return f"of the node {name.node!r} no tensor was recorded; `ni {name.node}` tells of it"
    near = nearest(opened.program, name.text, opened.recorded)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`lt` lists the tensors"
    return f"no tensor {name.text!r}{where} was recorded; {hint}"
