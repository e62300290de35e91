from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tensordbg.cli.running import sealing
from tensordbg.cli.running.sealing import Sealing
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.manifest import read_manifest
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import TraceBuilder, small_program


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "INTERVAL", 0.01)


def test_seals_while_the_block_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    sealed: list[Path] = []
    thrice = threading.Event()

    def seal(folder: Path) -> int:
        sealed.append(folder)
        if len(sealed) == 3:
            thrice.set()
        return 0

    monkeypatch.setattr("tensordbg.trace.sealed.seal.seal_full_segments", seal)
    with Sealing(Path("trace")):
        assert thrice.wait(10)
    assert set(sealed) == {Path("trace")}
    after = len(sealed)
    assert not any(thread.name == "tdbg-seal" for thread in threading.enumerate())
    assert len(sealed) == after


def test_trouble_ends_it_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = threading.Event()

    def seal(_: Path) -> int:
        failed.set()
        raise OSError

    monkeypatch.setattr("tensordbg.trace.sealed.seal.seal_full_segments", seal)
    with Sealing(Path("trace")):
        assert failed.wait(10)


def test_a_running_trace_is_sealed_as_far_as_it_is_full_and_the_rest_behind_it(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace", segment_records=4, pid=os.getpid())
    build.describe(small_program())
    execution = build.begin(6)
    for _ in range(9):
        build.eager_tensor(execution, 6)
    records = build.all_records()
    with Sealing(build.folder):
        for index in range(3):
            part = build.folder / "part"
            part.write_bytes(records[index * 4 : index * 4 + 4].tobytes().ljust(4 * 256, b"\0"))
            part.rename(build.folder / "segments" / f"{index:06d}.bin")
        end = time.monotonic() + 20
        while len(list((build.folder / "segments").iterdir())) > 1:
            assert time.monotonic() < end, "the full segments are not sealed"
            time.sleep(0.01)
    assert not read_manifest(build.folder).complete
    build.writer.fact({"end": {"time_ns": 1}})
    build.writer.close()
    seal_all(build.folder)
    assert read_manifest(build.folder).complete
    assert open_trace(build.folder).tensor_count == 9
