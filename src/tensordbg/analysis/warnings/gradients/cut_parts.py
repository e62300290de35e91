"""Parts of a loss that teach nothing, while others do: no gradient comes through a comparison, a rounding or a number.

A Dice loss of `(p > 0.5).float()`, the share of wrong classes, a term that was taken out of the tensors with `item`:
each is added to the loss, which goes down all the same, by its other parts. A part whose gradient the program makes
itself, as a straight-through estimator does, has operations of a backward pass, or is counted once with a plus and
once with a minus, and is left alone. So is what was cut off explicitly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.failures.beginnings.cuts import COPIED, DETACHED
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.without_gradients import runs_without_gradients
from tensordbg.analysis.warnings.gradients.read_numbers import read_number
from tensordbg.analysis.warnings.study.losses import with_slope
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.wiring import Wiring
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

_FARTHEST = 200
_SUMS = frozenset({Kind.ADD, Kind.ADD_MANY, Kind.SUBTRACT})
_KEEPS = frozenset(
    {
        *(Kind.NEGATE, Kind.SUM, Kind.MEAN, Kind.IDENTITY, Kind.RESHAPE, Kind.SQUEEZE, Kind.EXPAND_DIMS),
        *(Kind.CAST, Kind.BROADCAST, Kind.TRANSPOSE, Kind.PACK, Kind.CONCATENATE),
    }
)
_FACTORS = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN, Kind.DIVIDE, Kind.DIVIDE_NO_NAN})
_READ = "is added as a number that was read from it"
_NUMBERS = frozenset({Kind.CONSTANT, Kind.INPUT})
_ROUNDING = frozenset({Kind.ROUND, Kind.SIGN})
_ZEROS = frozenset({Kind.ZEROS_LIKE, Kind.FILL})
_SURE = frozenset({*_FACTORS, Kind.MEAN, Kind.SQUARE, Kind.POWER, Kind.SQRT, Kind.LOG, Kind.EXP, Kind.ABSOLUTE})
"""Operations that leave one in the backward pass wherever a gradient comes to them."""


def cut_parts(study: Study) -> list[Finding]:
    """One finding for each part of a loss that is made of what is trained, and that no gradient goes through."""
    scene = _Scene(study)
    found: dict[int, Finding] = {}
    for end in np.flatnonzero(study.differentiated & scene.sloping).tolist():
        loss = study.at.get(end, [NONE])[0]
        if loss != NONE and study.series.lengths[loss] >= ENOUGH:
            found |= {each.site: each for each in _of_loss(scene, loss) if each.site not in found}
    return list(found.values())


def _of_loss(scene: _Scene, loss: int) -> Iterator[Finding]:
    study, parts = scene.study, scene.parts(int(scene.study.port[loss]))
    for part in parts.flat:
        if part in study.at and (cut := scene.cut(part)) is not None:
            yield _finding(scene, loss, study.at[part][0], cut)
    for part in parts.whole:
        if part in study.at and (cut := scene.taken_out(part, parts.seen)) is not None:
            yield _finding(scene, loss, study.at[part][0], cut)
    for numbers in parts.numbers:
        read = read_number(study, numbers, parts.seen)
        if read != NONE and not scene.is_explicit(int(study.port[read])):
            yield _finding(scene, loss, read, _Cut(int(study.port[read]), _READ))


@dataclass(frozen=True)
class _Parts:
    """The parts that a loss is the sum of."""

    flat: tuple[int, ...] = ()
    """The ports that have no slope."""
    whole: tuple[int, ...] = ()
    """The ports that have one, and are no sums themselves."""
    numbers: tuple[tuple[int, ...], ...] = ()
    """For each sum the ports that bring numbers into it from outside of the tensors."""
    seen: frozenset[int] = frozenset()
    """All ports that are added up, directly or not."""


@dataclass(frozen=True)
class _Cut:
    """Where a part of a loss is cut off."""

    port: int
    way: str


@dataclass(frozen=True)
class _Scene:
    """The forward pass, with and without what has no slope."""

    study: Study

    @cached_property
    def forward(self) -> Wiring:
        """Edges of the forward pass alone."""
        return self.study.wiring.without(self.study.gradient | self.study.updating)

    @cached_property
    def sloping(self) -> Bools:
        """For each port whether a change of the weights changes it little by little."""
        return with_slope(self.study)

    @cached_property
    def backward(self) -> Mapping[int, frozenset[Kind]]:
        """By site that has operations in a backward pass the kinds of these."""
        found: dict[int, frozenset[Kind]] = {}
        for site in self.study.program.sites.values():
            if site.gradient_of != NONE:
                found[site.gradient_of] = found.get(site.gradient_of, frozenset()) | {operation_of(site).kind}
        return found

    def parts(self, end: int) -> _Parts:
        """The parts that add up to a loss; none where a part counts twice, or was cut off by intent."""
        seen, ahead, flat, numbers = {end}, [end], list[int](), list[tuple[int, ...]]()
        whole: list[int] = []
        while ahead and len(seen) < _FARTHEST:
            port = ahead.pop()
            made = self._added(port)
            if self.is_explicit(port) or not seen.isdisjoint(made):
                return _Parts()
            seen.update(made)
            whole += [] if made else [port]
            ahead += [each for each in made if self.sloping[each]]
            flat += [each for each in made if not self.sloping[each]]
            if self.study.kind(port) in _SUMS:
                numbers.append(tuple(each for each in self.forward.parents(port) if self.study.kind(each) in _NUMBERS))
        return _Parts(tuple(flat), tuple(whole), tuple(numbers), frozenset(seen))

    def _added(self, port: int) -> list[int]:
        """The ports that a port is made of by adding up, and by factors that are not trained."""
        kind, made = self.study.kind(port), self._trained_parents(port)
        if kind in _FACTORS and any(each in self.forward.parents(each) for each in made):
            return []  # both sides of a quotient are of one line, which counts as one operation
        return made if kind in _SUMS or ((kind in _KEEPS or kind in _FACTORS) and len(made) == 1) else []

    def _trained_parents(self, port: int) -> list[int]:
        return [each for each in self.forward.parents(port) if self.study.from_trained[each]]

    def is_explicit(self, port: int) -> bool:
        return DETACHED.search(self._text(port)) is not None

    def _text(self, port: int) -> str:
        """The program's own line that made a port."""
        site = self.study.wiring.site(port)
        own = None if site is None else self.study.own_line(site)
        return "" if own is None else own.text

    def cut(self, part: int) -> _Cut | None:
        """Where a part without slope is cut from what has one; None where a gradient comes to it all the same."""
        behind = self._behind(part)
        cuts = [port for port in behind if any(self.sloping[each] for each in self._trained_parents(port))]
        if not cuts or any(map(self.is_explicit, [part, *cuts])):
            return None
        sites = [site for port in behind if (site := self.study.wiring.site(port)) is not None]
        first = min(cuts, key=self._order)
        rounded = self.study.kind(first) in _ROUNDING and self._gives_zeros(first)
        if not rounded and (any(each.site in self.backward for each in sites) or not _shows_gradients(sites)):
            return None
        return _Cut(first, f"by {self.place(first)}")

    def taken_out(self, part: int, seen: Collection[int]) -> _Cut | None:
        """Where the numbers of a part that has a slope were taken out of the tensors, which no operation tells.

        No operation that it alone is made of has one in the backward pass, and one of their lines says how.
        """
        alone, ahead = {part}, [part]
        while ahead and len(alone) < _FARTHEST:
            port = ahead.pop()
            if int(self.study.ports.site[port]) in self.backward:
                alone.discard(port)
                continue
            fresh = {each for each in self._trained_parents(port) if not self.study.trained_reads[each]} - alone
            alone |= fresh
            ahead += fresh
        sites = [site for port in alone if (site := self.study.wiring.site(port)) is not None]
        alone |= self._handing_on(part, seen)
        if part not in alone or not self.backward or not _shows_gradients(sites) or any(map(self.is_explicit, alone)):
            return None
        if lines := [port for port in alone if COPIED.search(self._text(port))]:
            first = min(lines, key=self._order)
            return _Cut(first, f"its numbers were taken out in {self.place(first)}")
        return self._without_gradients(alone) if self._is_term(part, seen) else None

    def _without_gradients(self, ports: Iterable[int]) -> _Cut | None:
        """The first of some ports that the program computes where it has switched gradients off, of what learns."""
        off = [port for port in ports if self.learns[port] and self._is_off(port)]
        if not off:
            return None
        first = min(off, key=self._order)
        return _Cut(first, f"was computed where gradients are switched off, from {self.place(first)} on")

    def _is_off(self, port: int) -> bool:
        study, site = self.study, self.study.wiring.site(port)
        return site is not None and runs_without_gradients(study.program, study.locations.stack(site.stack))

    @cached_property
    def learns(self) -> Bools:
        """For each port whether it is made of a variable to which gradients come: of no teacher that only follows."""
        with_gradient = gradients_of_variables(self.study)
        result = np.zeros(len(self.study.gradient), dtype=np.bool_)
        result[[port for port, variable in self.study.variable_of.items() if variable in with_gradient]] = True
        return self.study.wiring.descendants(result)

    def _is_term(self, part: int, seen: Collection[int]) -> bool:
        """Whether a part is one number where it comes to the sum: what each example is held against is none."""
        series = self.study.series
        ks = [k for port in {part, *self._handing_on(part, seen)} for k in self.study.at.get(port, [])[:1]]
        return any(bool((series.size[series.rows(k)] == series.turns[series.rows(k)]).all()) for k in ks)

    def _order(self, port: int) -> tuple[int, int]:
        return int(self.study.ports.site[port]), port

    def _handing_on(self, part: int, seen: Collection[int]) -> set[int]:
        """The ports by which a part comes to the sum: those that are made of it alone."""
        found, port = set[int](), part
        while len(found) < _FARTHEST:
            above = [each for each in seen if self._added(each) == [port] and each not in found]
            if len(above) != 1 or int(self.study.ports.site[above[0]]) in self.backward:
                return found
            port = above[0]
            found.add(port)
        return found

    def _behind(self, part: int) -> list[int]:
        """The part, and what it is made of behind all that has a slope."""
        marks = np.zeros(len(self.sloping), dtype=np.bool_)
        marks[part] = True
        made = self.forward.ancestors(marks) & self.study.from_trained & ~self.sloping
        return np.flatnonzero(made).tolist()

    def _gives_zeros(self, port: int) -> bool:
        """Whether what comes back through a rounding is put in as zeros, not made by the program itself."""
        return bool(self.backward.get(int(self.study.ports.site[port]), frozenset()) & _ZEROS)

    def place(self, port: int) -> str:
        """The name of a tensor, with the line that made it."""
        site = self.study.wiring.site(port)
        own = None if site is None else self.study.own_line(site)
        name = "a number" if site is None else f"{site.name}:{port - int(self.study.ports.first[site.site])}"
        return name if own is None else f"{name} ({own.place}, `{own.text}`)"


def _shows_gradients(sites: Iterable[Site]) -> bool:
    """Whether the trace would show a gradient, if one came to some operations."""
    return any(operation_of(site).kind in _SURE for site in sites)


def _finding(scene: _Scene, loss: int, k: int, cut: _Cut) -> Finding:
    study = scene.study
    what = scene.place(int(study.port[k]))
    return Finding(
        kind="cut_part",
        series=k,
        explanation=(
            f"A part of the loss {study.name(loss)} teaches nothing: {what} is made of what is trained, but {cut.way}, "
            "and no gradient goes through that."
        ),
        suggestion=study.fix(k, "cut_part"),
        evidence={"steps": int(study.series.lengths[k])},
        gravity=float(study.series.lengths[k]),
        site=int(study.ports.site[cut.port]),
    )
