"""Layers that compute otherwise while they learn than when they are asked, left in the wrong one of both ways.

A batch normalization takes the mean of the batch while it learns and the kept mean else; a dropout drops while it
learns. A validation that switches to the second and nothing that switches back leaves the rest of the training so; a
validation that doesn't switch judges by its own batch, and teaches the kept mean what it was not to see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

_JUDGING = frozenset({Kind.EQUAL, Kind.LABEL_LOSS, Kind.SIGMOID_LOSS, Kind.SOFTMAX_LOSS, Kind.SPARSE_SOFTMAX_LOSS})
"""Where these are made of what a model gives, it is compared with what is right."""

_PUT_TOGETHER = frozenset({Kind.CONCATENATE, Kind.PACK})
"""Several results of one dropout that are put together are meant to differ."""


_ALWAYS = re.compile(r"\btraining\s*=\s*True|,\s*True\b")
"""In the text of a line that it drops by intent, as for the spread of several answers."""


@dataclass(frozen=True)
class _Run:
    """An operation of a layer whose way of computing is known."""

    site: Site
    port: int
    series: int
    learns: bool
    """Whether it computes as a layer does while it learns."""
    differentiated: bool
    drops: bool

    @property
    def layer(self) -> str:
        """The path of its layer."""
        return _layer(self.site)


def trained_in_evaluation_mode(study: Study) -> list[Finding]:
    """One finding for all layers that learn as if they were asked."""
    return list(_Modes(study).learning_as_if_asked())


def evaluated_in_training_mode(study: Study) -> list[Finding]:
    """One finding for all layers that are asked as if they learned."""
    return list(_Modes(study).asked_as_if_learning())


@dataclass(frozen=True)
class _Modes:
    study: Study

    @cached_property
    def _runs(self) -> list[_Run]:
        study = self.study
        differentiated = {site.gradient_of for site in study.program.sites.values() if site.gradient_of != NONE}
        found = []
        for port, several in study.at.items():
            site = study.wiring.site(port)
            if (
                site is None
                or not site.layer
                or site.writes
                or study.gradient[port]
                or port != study.ports.first[site.site]
            ):
                continue
            learns = _learns(study, site)
            if learns is not None:
                drops = operation_of(site).kind is not Kind.NORMALISE
                slope = site.site in differentiated or (drops and self._goes_into_gradients[port])
                found.append(_Run(site, port, several[0], learns, bool(slope), drops))
        return found

    @cached_property
    def _goes_into_gradients(self) -> Bools:
        """For each port whether a backward pass takes what is made from it."""
        return self.study.wiring.ancestors(self.study.gradient)

    def learning_as_if_asked(self) -> Iterator[Finding]:
        """Training steps of layers that a validation has left in its own way, or that never learned."""
        wrong = [each for each in self._runs if not each.learns and each.differentiated and self._is_left(each)]
        if wrong:
            first = min(wrong, key=lambda each: each.site.site)
            yield self._finding(wrong, first, "evaluation_mode", self._since(first))
            return
        dropped = [each for each in self._runs if each.drops and each.differentiated and self._stops_dropping(each)]
        if dropped:
            first = min(dropped, key=lambda each: each.site.site)
            last = int(self._steps(first)[-1])
            yield self._finding(dropped, first, "evaluation_mode", f"since step {last + 1}, as a validation left it")

    def asked_as_if_learning(self) -> Iterator[Finding]:
        """Validations in which layers compute as they do while they learn."""
        trained = {(each.layer, each.drops) for each in self._runs if each.learns and each.differentiated}
        wrong = [
            each
            for each in self._runs
            if each.learns and not each.differentiated and (each.layer, each.drops) in trained and self._judges(each)
        ]
        if wrong:
            first = min(wrong, key=lambda each: (each.drops, each.site.site))
            yield self._finding(wrong, first, "training_mode", "")

    def _steps(self, run: _Run) -> Ints:
        steps: Ints = self.study.series.step[self.study.series.rows(run.series)]
        return steps

    def _is_left(self, run: _Run) -> bool:
        """Whether a validation has left a layer as it is, or nothing ever had it learn."""
        if len(self._steps(run)) < ENOUGH or not self._is_trained(run):
            return False
        ran = [each for each in self._runs if each.layer == run.layer and each.learns]
        learned = [each for each in ran if each.differentiated]
        if not learned:
            return not ran and self._statistics_are_new(run)
        end = max(int(self._steps(each)[-1]) for each in learned)
        begin = min(int(self._steps(each)[0]) for each in learned)
        return end < int(self._steps(run)[0]) and not self._asked(run, begin, end)

    def _asked(self, run: _Run, begin: int, end: int) -> bool:
        """Whether a layer was asked between two steps of learning: then somebody has switched it back once."""
        asked = [each for each in self._runs if each.layer == run.layer and not each.learns and not each.differentiated]
        return any(((steps > begin) & (steps <= end)).any() for steps in map(self._steps, asked))

    def _is_trained(self, run: _Run) -> bool:
        """Whether gradients come to what a layer multiplies with."""
        backward = [each for each in self.study.program.sites.values() if each.gradient_of == run.site.site]
        return any('"gradient_for"' in each.attributes for each in backward)

    def _statistics_are_new(self, run: _Run) -> bool:
        """Whether a layer computes by a mean of 0 and a variance of 1: those of one that has learned nothing yet."""
        known = [k for port in self.study.wiring.parents(run.port) for k in self.study.at.get(port, [])[:1]]
        untrained = [k for k in known if self._untrained_read(k)]
        return any(self._is_all(k, 0.0) for k in untrained) and any(self._is_all(k, 1.0) for k in untrained)

    def _untrained_read(self, k: int) -> bool:
        variable = self.study.variable_of.get(int(self.study.port[k]), NONE)
        return variable in self.study.program.variables and not self.study.is_trained(variable)

    def _is_all(self, k: int, value: float) -> bool:
        rows = self.study.series.rows(k)
        return bool((self.study.series.low[rows] == value).all() and (self.study.series.high[rows] == value).all())

    def _stops_dropping(self, run: _Run) -> bool:
        """Whether a layer drops until a validation, the first one, and its model goes on to learn without."""
        steps = self._steps(run)
        last, layer = int(steps[-1]), run.layer
        others = [each for each in self._runs if each.drops and each.differentiated and each.layer == layer]
        last = max(int(self._steps(each)[-1]) for each in others)
        trained = self._training_steps
        if (trained > last).sum() < max(ENOUGH, (trained <= last).sum()):
            return False
        asked = self._asked_steps
        return len(asked) > 0 and last <= int(asked[0]) <= last + 1

    @cached_property
    def _training_steps(self) -> Ints:
        rows = [k for k in range(len(self.study.series)) if self.study.gradient[self.study.port[k]]]
        return _steps_of(self.study, rows)

    @cached_property
    def _asked_steps(self) -> Ints:
        """The steps in which a model was asked: something was made of what is trained, that no gradient goes into."""
        study = self.study
        apart = study.from_trained & ~self._goes_into_gradients
        apart &= ~study.gradient & ~study.updating & ~study.trained_reads
        rows = [k for k in np.flatnonzero(apart[study.port]).tolist() if study.site(k).layer]
        return _steps_of(study, rows)

    def _judges(self, run: _Run) -> bool:
        """Whether what a layer gives is compared with what is right, and nothing is learned of it."""
        study = self.study
        marks = np.zeros(len(study.ports.site), dtype=np.bool_)
        marks[run.port] = True
        behind = study.wiring.descendants(marks)
        if (behind & self._goes_into_gradients).any():
            return False
        kinds = {
            operation_of(study.program.sites[number]).kind
            for number in np.unique(study.ports.site[behind]).tolist()
            if number in study.program.sites
        }
        return not kinds.isdisjoint(_JUDGING) and not (run.drops and kinds & _PUT_TOGETHER)

    def _known(self, run: _Run) -> str:
        """Tells of a function that drops whatever its layer does, as it isn't told whether that learns."""
        told = not run.drops or "drop" in _class(run.site).lower() or "training" in _text(self.study, run.site)
        return "" if told or not run.learns else "called"

    def _since(self, run: _Run) -> str:
        steps = self._steps(run)
        learned = any(each.layer == run.layer and each.learns and each.differentiated for each in self._runs)
        return f"since step {steps[0]}, as a validation left it" if learned else "from the first step on"

    def _finding(self, wrong: list[_Run], first: _Run, kind: str, since: str) -> Finding:
        layers = list(dict.fromkeys(each.layer for each in sorted(wrong, key=lambda each: each.site.site)))
        where = f"layer {layers[0]}" + (f" and {len(layers) - 1} more" if len(layers) > 1 else "")
        learning = "drops numbers" if first.drops else "normalizes by the mean of the batch"
        asked = "drops nothing" if first.drops else "normalizes by the kept mean"
        explanation = (
            f"In training, {since}, the model {asked}, which is meant for evaluation ({where})."
            if kind == "evaluation_mode"
            else f"Where the model is only asked, and learns nothing from it, it {learning}, which is meant for "
            f"training ({where})."
        )
        return Finding(
            kind=kind,
            series=first.series,
            explanation=explanation,
            suggestion=self.study.fix(first.series, kind, self._known(first)),
            evidence={"steps": len(self._steps(first)), "layers": len(layers)},
            gravity=float(len(layers)),
            also=listed(layers),
        )


def _steps_of(study: Study, series: list[int]) -> Ints:
    """The steps in which any of some tensors was computed."""
    steps = [study.series.step[study.series.rows(k)] for k in series]
    return np.unique(np.concatenate(steps)) if steps else np.zeros(0, dtype=np.int64)


def _layer(site: Site) -> str:
    told = json.loads(site.layer) if site.layer else {}
    path = told.get("path", "") if isinstance(told, dict) else ""
    return path if isinstance(path, str) else ""


def _class(site: Site) -> str:
    told = json.loads(site.layer) if site.layer else {}
    return str(told.get("class", "")) if isinstance(told, dict) else ""


def _is_called(study: Study, site: Site) -> bool:
    """Whether a function drops, not a layer, and the line does not say that it is to do so always."""
    stack = study.program.stacks.get(site.stack, ())
    return any("drop" in frame.function for frame in stack) and not _ALWAYS.search(_text(study, site))


def _text(study: Study, site: Site) -> str:
    """The program's own line at which an operation was computed."""
    own = study.own_line(site)
    return "" if own is None else own.text


def _learns(study: Study, site: Site) -> bool | None:
    """Whether an operation computes as its layer does while it learns; None of one that has no such ways."""
    kind = operation_of(site).kind
    if kind is Kind.DROPOUT:
        return True if "drop" in _class(site).lower() or _is_called(study, site) else None
    if kind is not Kind.NORMALISE or '"training"' not in site.attributes:
        return None
    told = json.loads(site.attributes).get("training")
    return told if isinstance(told, bool) else None
