"""The sums of a trace before, while and after it is sealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.manifest import MANIFEST, read_manifest, write_manifest
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.trace.sealed.test_seal import TRACES


@pytest.mark.parametrize("make", TRACES)
def test_they_are_the_same_raw_and_sealed(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    trace = make(tmp_path / "trace")
    raw = open_trace(trace).sums()
    assert raw.events == open_trace(trace).tensor_count
    seal_full_segments(trace)
    assert open_trace(trace).sums() == raw
    seal_all(trace)
    assert open_trace(trace).sums() == raw
    assert read_manifest(trace).sums == raw


@pytest.mark.parametrize("make", TRACES)
def test_they_are_made_where_an_older_version_has_sealed(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    trace = make(tmp_path / "trace")
    seal_all(trace)
    known = open_trace(trace).sums()
    stored = json.loads((trace / MANIFEST).read_text())
    del stored["sums"]
    (trace / MANIFEST).write_text(json.dumps(stored))
    assert read_manifest(trace).sums is None
    assert open_trace(trace).sums() == known


@pytest.mark.parametrize("make", TRACES)
def test_those_of_each_step_are_made_where_an_older_version_has_sealed(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    trace = make(tmp_path / "trace")
    raw = open_trace(trace).step_sums()
    assert bool(len(raw)) == bool(open_trace(trace).tensor_count)
    seal_all(trace)
    assert open_trace(trace).step_sums() == raw
    stored = json.loads((trace / MANIFEST).read_text())
    del stored["sums"]["by_step"]
    (trace / MANIFEST).write_text(json.dumps(stored))
    reader = open_trace(trace)
    assert reader.sums().by_step is None
    assert reader.step_sums() == raw


def test_what_an_older_version_began_is_not_summed_up_in_part(tmp_path: Path) -> None:
    trace = TRACES[1](tmp_path / "trace")
    whole = open_trace(trace).sums()
    seal_full_segments(trace)
    manifest = read_manifest(trace)
    assert manifest.next_segment > 0
    write_manifest(trace, replace(manifest, sums=None))
    seal_all(trace)
    assert read_manifest(trace).sums is None
    assert open_trace(trace).sums() == whole
