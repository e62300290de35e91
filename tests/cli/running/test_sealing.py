from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tensordbg.cli.running import sealing
from tensordbg.cli.running.sealing import Sealing


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

    monkeypatch.setattr("tensordbg.trace.seal.seal_full_segments", seal)
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

    monkeypatch.setattr("tensordbg.trace.seal.seal_full_segments", seal)
    with Sealing(Path("trace")):
        assert failed.wait(10)
