from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.sealed import snapshot
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tensordbg.trace.sealed.snapshot import read_metadata, take_snapshot


def change(trace: Path, **values: Any) -> None:
    path = trace / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_raw_segments_begin_where_the_sealed_ones_end(trace: Path) -> None:
    count = len(take_snapshot(trace).raw)
    seal_full_segments(trace)
    later = take_snapshot(trace)
    assert 0 < len(later.raw) < count
    assert later.raw[0].index == later.manifest.next_segment
    seal_all(trace)
    assert take_snapshot(trace).raw == ()


def test_looks_again_if_the_trace_was_sealed_meanwhile(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look, looks = snapshot.segment_files, []

    def segment_files(folder: Path) -> dict[int, Path]:
        looks.append(look(folder))
        if len(looks) == 1:
            seal_all(folder)
        return looks[-1]

    monkeypatch.setattr(snapshot, "segment_files", segment_files)
    assert take_snapshot(trace).manifest.complete


def test_gives_up_on_a_trace_that_never_rests(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "segment_files", lambda folder: {0: folder / "gone.bin"})
    with pytest.raises(TraceError, match="is being changed without a pause; try again"):
        take_snapshot(trace)


def test_newer_format_is_refused(trace: Path) -> None:
    change(trace, format=99)
    with pytest.raises(TraceError) as caught:
        take_snapshot(trace)
    assert (
        str(caught.value) == f"{trace}/trace.json: format 99 is newer than 5, the newest read here; upgrade tensordbg"
    )


@pytest.mark.parametrize("values", [{"pid": "x"}, {"segment_records": 0}, {"command": 7}, {"detail": "much"}])
def test_damaged_metadata(trace: Path, values: dict[str, Any]) -> None:
    change(trace, **values)
    with pytest.raises(TraceError, match=r"trace.json: can't be read"):
        read_metadata(trace)


@pytest.mark.parametrize("text", ["", "[]", "7", "{", "{}"])
def test_metadata_that_is_none(trace: Path, text: str) -> None:
    (trace / "trace.json").write_text(text)
    with pytest.raises(TraceError, match=r"trace.json: can't be read"):
        read_metadata(trace)
