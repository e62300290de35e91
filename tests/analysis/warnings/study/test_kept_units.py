"""Dead units by the elements that were kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.warnings.layers.dead_units import dead_units
from tensordbg.analysis.warnings.study import kept_units
from tensordbg.analysis.warnings.study.kept_units import dead_in_kept
from tensordbg.analysis.warnings.study.study import Study, study
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, series_named, studied


class Kept:
    """A trace that keeps elements, all of one kind."""

    def __init__(self, trace: TraceBuilder, elements: Any) -> None:
        self._trace = trace
        self._elements = np.asarray(elements)
        for row in trace.events:
            row["value_position"] = 0

    def value(self, event: int) -> Any:
        """The elements; each event has another row filled with ones."""
        array = self._elements.copy()
        array[event % len(array)] *= 2.0
        return array

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trace, name)


def seen(elements: Any) -> Study:
    trace = Kept(network(steps=10), elements)
    return study(trace, read_program(trace), trace.count("tensors"))


def test_units_along_the_last_axis() -> None:
    elements = np.ones((8, 20))
    dead = [1, 4, 5, 6, 9, 12, 13, 19]
    elements[:, dead] = 0.0
    here = seen(elements)
    found = dead_in_kept(here, series_named(here, "Relu"))
    assert found is not None
    assert (found.dead.tolist(), found.units, found.steps) == (dead, 20, 10)
    (finding,) = dead_units(here)
    assert "8 of the 20 units of Relu:0 are zero for every input in the last 10 steps: 1, 4, 5" in finding.explanation


def test_a_unit_that_is_alive_for_one_input_is_not_dead() -> None:
    elements = np.zeros((8, 5))
    elements[3] = 1.0
    here = seen(elements)
    found = dead_in_kept(here, series_named(here, "Relu"))
    assert found is not None
    assert found.dead.size == 0
    assert dead_units(here) == []


def test_of_large_layers_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    here = seen(np.zeros((8, 5)))
    monkeypatch.setattr(kept_units, "_MOST", 100)
    assert dead_in_kept(here, series_named(here, "Relu")) is None


def test_nothing_is_known_where_nothing_was_kept() -> None:
    here = studied(network(steps=10))
    assert dead_in_kept(here, series_named(here, "Relu")) is None
