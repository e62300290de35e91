"""Tells of a `tf.TensorArray` that was written or read beyond its end how large it is, and the line that made it so."""

from __future__ import annotations

import re

from tensordbg.analysis.finding import Beginning, SourceLine
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import NONE, CallKind, Site, TensorRef

_WRITTEN = re.compile(
    r"Trying to modify element (?P<index>-?\d+) in a list with (?P<size>\d+) element"
    r"|Tried to write to index (?P<index_2>-?\d+) but array is not resizeable and size is: (?P<size_2>\d+)"
)
_READ = re.compile(
    r"Trying to access element (?P<index>-?\d+) in a list with (?P<size>\d+) element"
    r"|Tried to read from index (?P<index_2>-?\d+) but array size is: (?P<size_2>\d+)"
)

_WRITES = "written"

_LIST = "variant"
"""The type of what holds tensors in a graph."""

_FARTHEST = 100


def beyond_size(message: str, program: Program, site: Site | None, locations: Locations) -> tuple[Beginning, ...]:
    """Which index of how many it was, with the line that made the array; nothing for any other message."""
    for pattern, done in ((_WRITTEN, _WRITES), (_READ, "read")):
        found = pattern.search(message)
        if found is not None:
            index, size = (int(found[name] or found[f"{name}_2"]) for name in ("index", "size"))
            words = f"TensorArray of size {size} {done} at index {index}, {_range(size)}"
            maker, source = _made(program, site, locations)
            if source is not None:
                words += "; it was made here"
            name, op_type = ("", "") if maker is None else (f"{maker.name}:0", maker.op_type)
            return (Beginning("size", "", name, op_type, words, source),)
    return ()


def _range(size: int) -> str:
    return "which has none" if not size else "which has 0 alone" if size == 1 else f"which has 0 to {size - 1}"


def _made(program: Program, site: Site | None, locations: Locations) -> tuple[Site | None, SourceLine | None]:
    """The operation that made the list which a failed operation took, and its line."""
    maker = None if site is None else _maker(program, site)
    if maker is site:  # an eager array is none of the recording's
        return None, None
    return maker, None if maker is None else locations.own(locations.stack(maker.stack))


def _maker(program: Program, site: Site) -> Site | None:
    for _ in range(_FARTHEST):
        before = [ref for ref in _before(program, site) if _holds_tensors(program, ref)]
        if not before:
            return site if site.argument == NONE else None
        site = program.sites[before[0].site]
    return None


def _before(program: Program, site: Site) -> list[TensorRef]:
    """The inputs of an operation; of an argument what the operation gives that runs the function."""
    if site.argument == NONE:
        return program.inputs_of(site.site)
    holder = program.holders.get(site.function)
    for call in (holder,) if holder is not None else program.calls_of.get(site.function, ()):
        position = site.argument + (call.call is CallKind.IF)
        return program.inputs_of(call.site)[position : position + 1]
    return []


def _holds_tensors(program: Program, ref: TensorRef) -> bool:
    site = program.sites.get(ref.site)
    return site is not None and site.dtypes[ref.slot : ref.slot + 1] == (_LIST,)
