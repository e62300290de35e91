from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordbg.analysis.view import following
from tensordbg.analysis.view.following import FollowedTrace
from tests.trace.builder import Tensor, TraceBuilder, small_program, write_segments


@pytest.fixture
def build(tmp_path: Path) -> TraceBuilder:
    """A trace whose program runs still: it is this one."""
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.describe(small_program())
    add(build)
    return build


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, as the test sets it."""
    now = [100.0]
    monkeypatch.setattr(following.time, "monotonic", lambda: now[0])
    return now


def add(build: TraceBuilder, count: int = 1) -> None:
    for _ in range(count):
        build.eager_tensor(build.begin(site=6, step=build.executions), 6, Tensor())
    write_segments(build.folder, build.all_records(), build.slots)


def test_opened_again_when_it_has_grown_and_not_too_often(build: TraceBuilder, clock: list[float]) -> None:
    followed = FollowedTrace(build.folder)
    first = followed.opened()
    assert (first.event_count, followed.growth().running) == (1, True)
    add(build)
    assert followed.opened() is first
    clock[0] += 1
    second = followed.opened()
    assert second.event_count == 2
    assert second.growth.revision > first.growth.revision
    clock[0] += 1
    assert followed.opened() is second


def test_rate_is_that_of_the_last_seconds(build: TraceBuilder, clock: list[float]) -> None:
    followed = FollowedTrace(build.folder)
    assert followed.rate() == 0
    clock[0] += 2
    add(build, 50)
    assert followed.rate() == pytest.approx(25)
    for _ in range(4):
        clock[0] += 10
        rate = followed.rate()
    assert rate == 0


def test_end_is_seen(build: TraceBuilder, clock: list[float]) -> None:
    followed = FollowedTrace(build.folder)
    before = followed.growth()
    build.finish()
    clock[0] += 1
    after = followed.growth()
    assert (before.running, after.running) == (True, False)
    assert after.revision > before.revision
    assert followed.rate() == 0
