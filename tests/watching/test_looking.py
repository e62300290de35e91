"""Looking at a run that grows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why_of_run
from tensordbg.trace.sealed.seal import seal_all
from tensordbg.watching import looking
from tensordbg.watching.looking import Looking
from tests.trace.builder import TraceBuilder, small_program
from tests.trace.samples import eventful_trace


@pytest.fixture
def studied(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The runs that were studied."""
    calls: list[object] = []

    def study(processes: Mapping[str, TraceSource]) -> WhyResult:
        calls.append(processes)
        return why_of_run(processes)

    monkeypatch.setattr(looking, "why_of_run", study)
    return calls


def test_where_nothing_is_yet(tmp_path: Path) -> None:
    assert Looking(tmp_path / "none").look() is None
    assert Looking(tmp_path).look() is None


def test_a_run_is_read_again_only_where_it_has_grown(tmp_path: Path, studied: list[object]) -> None:
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.describe(small_program())
    look = Looking(tmp_path)
    build.eager_tensor(build.begin(6), 6)
    build.kill()
    first = look.look()
    assert first is not None
    ((process, figures),) = first.figures.items()
    assert (process, figures.events, figures.not_finite) == ("train", 1, 0)
    look.look()
    assert len(studied) == 1


def test_the_figures_of_a_run_that_has_ended(tmp_path: Path) -> None:
    trace = eventful_trace(tmp_path / "trace").finish()
    raw = Looking(trace).look()
    seal_all(trace)
    sealed = Looking(trace).look()
    assert raw is not None
    assert sealed is not None
    assert raw.figures == sealed.figures
    (figures,) = raw.figures.values()
    assert figures.events > figures.not_finite > 0
    assert not raw.running
