"""From a name as it is typed to the tensors that it means: one rule for all commands, the console and the page.

A name may stand in the program's text (`n`, `self.state`), name an operation (`dense/Relu`, or the end of it, where
that is the end of one only), a variable, a layer, which means its outputs, or what a layer computes (`dense/Relu:0`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from tensordbg.analysis.names.layer_parts import LayerPart, at_or_below, fitting_layers, layer_parts, short_paths
from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.program.assigned import assigned_attributes, near_assigned
from tensordbg.analysis.program.call_results import TensorsInCalls
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.held import held_variables
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.python_names import names_of_text, tensors_named
from tensordbg.model import Site, TensorRef
from tensordbg.operations.kinds import Kind

_SHOWN = 3
_GRADIENTS = "gradient_tape/"

Groups = dict[str, list[TensorRef]]
"""By the name of what is meant, its tensors."""


@dataclass(frozen=True)
class Named:
    """The things that a name may mean."""

    groups: Mapping[str, tuple[TensorRef, ...]]
    """By the name of each thing that it may mean, its tensors; without tensors where nothing was recorded of it."""
    calls: TensorsInCalls = field(default_factory=dict)
    """For tensors that are found in some calls of their functions only, those."""

    @property
    def name(self) -> str:
        """The name of the one thing that is meant; empty where it may be several, or is none."""
        return next(iter(self.groups)) if len(self.groups) == 1 else ""

    @property
    def tensors(self) -> tuple[TensorRef, ...]:
        """All tensors that it may mean."""
        return tuple(dict.fromkeys(ref for refs in self.groups.values() for ref in refs))

    def choices(self, typed: str) -> str:
        """Which things it may mean, for a message; empty where there are not several."""
        if len(self.groups) < 2:
            return ""
        more = ", ..." if len(self.groups) > _SHOWN else ""
        return f"{len(self.groups)} are named {typed!r}; choose one of {', '.join(list(self.groups)[:_SHOWN])}{more}"


class AllTensors(Container[TensorRef]):
    """Every tensor of a program, recorded or not."""

    def __contains__(self, _: object) -> bool:
        return True


def find_named(program: Program, typed: str, recorded: Container[TensorRef]) -> Named:
    """Finds what is meant by a name: tensors that are recorded, and others only where none of those fits.

    Args:
        program: All that the trace describes.
        typed: A name, with `:` and the slot or without; the slot is 0 by default.
        recorded: The tensors that count.
    """
    name, slot = split_slot(typed)
    named = tensors_named(program, name, recorded) if slot is None else {}
    if named:
        return _of_names({name: named})
    whole = _operations(program, lambda site: site.name == name, slot)
    if whole:
        return _named(whole, recorded)
    attributes = {each: tensors_named(program, each, recorded) for each in _attributes(program, name, slot)}
    if any(attributes.values()):
        return _of_names({each: found for each, found in attributes.items() if found})
    known: Container[TensorRef] = recorded
    for known in (recorded, AllTensors()):
        for groups in _otherwise(program, name, slot, known):
            found = {key: [ref for ref in refs if ref in known] for key, refs in groups.items()}
            found = {key: refs for key, refs in found.items() if refs}
            if found:
                return _named(found, recorded)
    return Named({})


def _of_names(groups: Mapping[str, TensorsInCalls]) -> Named:
    calls = {ref: sites for found in groups.values() for ref, sites in found.items() if sites}
    return Named({name: tuple(found) for name, found in groups.items()}, calls)


def _attributes(program: Program, name: str, slot: int | None) -> list[str]:
    """The attributes of objects that a name without any object may mean, unless a layer or a variable bears it."""
    if slot is not None or not name.isidentifier() or fitting_layers(layer_parts(program), name):
        return []
    if any(each.name.rpartition("/")[2] in (name, f"{name}:0") for each in program.variables.values()):
        return []
    return assigned_attributes(program, name)


def _named(groups: Groups, recorded: Container[TensorRef]) -> Named:
    return Named({key: tuple(ref for ref in refs if ref in recorded) for key, refs in groups.items()})


def _otherwise(program: Program, name: str, slot: int | None, known: Container[TensorRef]) -> Iterator[Groups]:
    """What a name may mean that is no whole name of an operation, the likeliest first."""
    yield _variables(program, lambda each: each in (name, f"{name}:{slot or 0}"))
    yield _inside_layers(program, name, slot, known)
    yield _outputs(layer_parts(program), name, slot)
    ending = f"/{name}"
    ends = _operations(program, lambda site: site.name.endswith(ending), slot)
    known_ends = {key: refs for key, refs in ends.items() if any(ref in known for ref in refs)}
    forward = {key: refs for key, refs in known_ends.items() if not key.startswith(_GRADIENTS)}
    yield forward or known_ends
    yield _variables(program, lambda each: each.endswith((ending, f"{ending}:{slot or 0}")))


def _operations(program: Program, fits: Callable[[Site], bool], slot: int | None) -> Groups:
    groups: Groups = {}
    for site in program.sites.values():
        if fits(site):
            groups.setdefault(f"{site.name}:{slot or 0}", []).append(TensorRef(site.site, slot or 0))
    return groups


def _variables(program: Program, fits: Callable[[str], bool]) -> Groups:
    """The reads of variables as a whole."""
    wanted = {number: each.name for number, each in program.variables.items() if fits(each.name)}
    groups: Groups = {}
    for site in program.sites.values() if wanted else ():
        if operation_of(site).kind is Kind.READ:
            for number in site.reads:
                if number in wanted:
                    groups.setdefault(wanted[number], []).append(TensorRef(site.site, 0))
    for write, first in held_variables(program).writes.items() if wanted else ():
        number = program.sites[first].reads[0]
        if number in wanted:
            groups.setdefault(wanted[number], []).append(TensorRef(write, 0))
    return groups


def _inside_layers(program: Program, name: str, slot: int | None, known: Container[TensorRef]) -> Groups:
    """What a layer computes: the end of its path, a `/`, and the end of an operation's name, or one of the text."""
    groups: Groups = {}
    parts, pieces = layer_parts(program), name.split("/")
    for count in range(len(pieces) - 1, 0, -1):
        ending = "/".join(pieces[count:])
        fitting = fitting_layers(parts, "/".join(pieces[:count]))
        told = tensors_named(program, ending, known) if fitting and slot is None else {}
        for path in dict.fromkeys(each for layer in fitting for each in at_or_below(parts, layer)):
            for number, own in parts[path].inner.items():
                site = program.sites[number]
                if site.name == ending or site.name.endswith(f"/{ending}"):
                    groups.setdefault(f"{path}/{own}:{slot or 0}", []).append(TensorRef(number, slot or 0))
            inside = [ref for ref in told if ref.site in parts[path].inner]
            if inside:
                groups.setdefault(f"{path}/{ending}", []).extend(inside)
        if groups:
            break
    return groups


def _outputs(parts: Mapping[str, LayerPart], name: str, slot: int | None) -> Groups:
    """What a layer puts out; the slot says which of several."""
    groups: Groups = {}
    for path in fitting_layers(parts, name):
        refs = [ref for ref, number in parts[path].outputs.items() if slot in (None, number)]
        if refs:
            groups[path] = refs
    return groups


def nearest(program: Program, typed: str, recorded: Iterable[TensorRef]) -> list[str]:
    """The names most like a wrong one, of the tensors that were recorded."""
    known = frozenset(recorded)
    names = [f"{program.sites[ref.site].name}:{ref.slot}" for ref in known if ref.site in program.sites]
    names += names_of_text(program, known)
    read = {number for ref in known if ref.site in program.sites for number in program.sites[ref.site].reads}
    names += [program.variables[number].name for number in read if number in program.variables]
    names += near_assigned(program, split_slot(typed)[0], known, _SHOWN)
    return near_tensors(typed, [*names, *_names_of_layers(program, known)])


def near_tensors(typed: str, tensors: Iterable[str]) -> list[str]:
    """Tensors whose names are alike, or that hold the name within a longer one."""
    wanted, _ = split_slot(typed)
    names = {split_slot(each)[0]: each for each in sorted(tensors, reverse=True)}
    inside = sorted((name for name in names if wanted.lower() in name.lower()), key=len)
    near = dict.fromkeys([*get_close_matches(wanted, names, n=_SHOWN), *inside])
    return [names[name] for name in near][:_SHOWN]


def _names_of_layers(program: Program, recorded: Container[TensorRef]) -> Iterator[str]:
    """The layers that put something out, and what they compute."""
    parts = layer_parts(program)
    for path, short in short_paths(parts).items():
        if any(ref in recorded for ref in parts[path].outputs):
            yield short
        yield from (f"{short}/{own}:0" for site, own in parts[path].inner.items() if TensorRef(site, 0) in recorded)
