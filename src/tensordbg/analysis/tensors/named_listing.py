"""A listing of tensor events by any name that one may type: of operations, of the program's text, of layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tensordbg.analysis.names.layer_parts import LayerPart, at_or_below, fitting_layers, layer_parts, short_paths
from tensordbg.analysis.names.listing import (
    Listing,
    Order,
    Selection,
    list_tensors_of_run,
    recorded_tensors,
)
from tensordbg.analysis.names.naming import Named, find_named, near_tensors, nearest
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.query import one_database
from tensordbg.analysis.tensors.assigned_rows import with_assigned
from tensordbg.analysis.tensors.composites import with_values
from tensordbg.errors import UsageError
from tensordbg.model import TensorRef
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class NamedListing:
    """A page of tensor events, and what was asked for."""

    listing: Listing
    near: tuple[str, ...] = ()
    """Where nothing fits a name, those that are most like it."""


def list_named(
    processes: Mapping[str, TraceReader], selection: Selection, layer: str = "", order: Order | None = None
) -> NamedListing:
    """Finds the tensor events of a selection in the processes of a run; its `name` may be any that `naming` knows.

    Args:
        processes: Their traces, by name.
        selection: What is wanted.
        layer: Only what these layers compute and put out: a path, the end of one, or a pattern; empty for all.
        order: Which rows are shown, and in which order.

    Raises:
        UsageError: If there is no such order, or no such layer.
    """
    if not selection.name and not layer:
        return NamedListing(_listed(processes, selection, order))
    programs = {name: read_program(reader) for name, reader in processes.items()}
    layers = {name: layer_parts(program) for name, program in programs.items()} if layer else {}
    selections = {}
    for name, reader in processes.items():
        also = _also(programs[name], reader, selection.name, layer)
        within = _within(layers[name], layer) if layer else None
        selections[name] = replace(selection, also=also.tensors, calls=also.calls, within=within)
    if layer and not any(each.within for each in selections.values()):
        raise UsageError(_no_layer(layers, layer))
    listing = _listed(processes, selections, order)
    near = () if listing.total or not selection.name else _near(programs, processes, selection.name)
    return NamedListing(listing, near)


def _listed(
    processes: Mapping[str, TraceReader], selection: Selection | Mapping[str, Selection], order: Order | None
) -> Listing:
    with one_database(processes):
        return _with_wholes(processes, list_tensors_of_run(processes, selection, order))


def _with_wholes(processes: Mapping[str, TraceReader], listing: Listing) -> Listing:
    """The same, with the names that assignments give; rows of parts of ragged or sparse tensors tell of the whole."""
    rows = list(listing.rows)
    for process, reader in processes.items():
        own = [place for place, row in enumerate(rows) if row.process == process]
        named = with_assigned(reader, [rows[place] for place in own])
        for place, row in zip(own, with_values(reader, tuple(named)), strict=True):
            rows[place] = row
    return Listing(listing.total, tuple(rows))


def _also(program: Program, reader: TraceReader, name: str, layer: str) -> Named:
    """What a name means beside the operations whose names hold it."""
    if not name:
        return Named({})
    recorded = recorded_tensors(reader)
    inside = find_named(program, f"{layer}/{name}", recorded).tensors if layer else ()
    found = find_named(program, name, recorded)
    return Named({name: (*found.tensors, *inside)}, {ref: found.calls[ref] for ref in found.calls if ref not in inside})


def _within(layers: Mapping[str, LayerPart], wanted: str) -> tuple[TensorRef, ...]:
    """The outputs of layers; a slot below 0 stands for all of an operation's outputs."""
    found: dict[TensorRef, None] = {}
    for layer in fitting_layers(layers, wanted):
        found.update(dict.fromkeys(layers[layer].outputs))
        for path in at_or_below(layers, layer):
            found.update((TensorRef(site, -1), None) for site in layers[path].inner)
    return tuple(found)


def _no_layer(layers: Mapping[str, Mapping[str, LayerPart]], wanted: str) -> str:
    paths = dict.fromkeys(path for each in layers.values() for path in each)
    near = near_tensors(wanted, short_paths(paths).values())
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`tdbg layers` lists the layers"
    return f"no layer {wanted!r} was recorded; {hint}" if paths else "no layer was recorded; leave --layer out"


def _near(programs: Mapping[str, Program], processes: Mapping[str, TraceReader], name: str) -> tuple[str, ...]:
    for process, program in programs.items():
        near = nearest(program, name, recorded_tensors(processes[process]))
        if near:
            return tuple(near)
    return ()
