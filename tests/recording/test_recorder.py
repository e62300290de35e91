"""A fault of ours ends the recording with one warning, and never reaches the program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.model import NONE, Detail
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.log import EventLog
from tensordbg.recording.pace import Pace
from tensordbg.recording.recorder import Recorder
from tensordbg.trace.program.metadata import describe_this_process
from tensordbg.trace.writer import TraceWriter


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    writer = TraceWriter.create(tmp_path / "trace", describe_this_process("test", Detail.HEALTH, "portable"))
    log = EventLog(tmp_path / "trace", Detail.HEALTH)
    yield Recorder(Catalog(), log, writer)
    log.close()
    writer.close()


def facts(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "trace" / "facts.jsonl").read_text().splitlines()]


def test_steps_are_counted_by_key(recorder: Recorder) -> None:
    assert [recorder.next_step(key) for key in ("a", "b", "a", "a", ("f", 1))] == [0, 0, 1, 2, 0]


def test_steps_of_a_training_that_are_passed_by_are_counted(recorder: Recorder) -> None:
    passes_by = recorder.passing_training_steps("torch")
    assert not passes_by()  # without a budget
    recorder.pace = Pace(1e-6, recorder.log, iter(i * 0.01 for i in range(10_000)).__next__)
    passes_by = recorder.passing_training_steps("torch")
    begun = [recorder.training_step("torch") for _ in range(50) if not passes_by()]
    assert begun[0] == 0
    assert set(begun[1:]) == {NONE}
    assert len(begun) < 48
    assert recorder.next_step(("training", "torch")) == 50


def test_a_warning_is_said_once_and_kept(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.warn("mind this")
    recorder.warn("mind this")
    assert capsys.readouterr().err == "tdbg: warning: mind this\n"
    assert facts(tmp_path) == [{"warning": "mind this"}]


def test_a_place_in_a_run_that_the_program_says_later_is_noted_once(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TENSORDBG_RUN", raising=False)
    recorder.note_process()
    assert facts(tmp_path) == []
    config = {"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    for _ in range(2):
        recorder.note_process()
    (fact,) = facts(tmp_path)
    assert (fact["process"]["task"], fact["process"]["index"]) == ("worker", 1)  # type: ignore[index]


def test_a_fault_ends_the_recording_alone(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with recorder.guard("measuring"):
        raise ZeroDivisionError("by mistake")
    with recorder.guard("measuring"):
        raise ZeroDivisionError("again")
    assert not recorder.active
    error = capsys.readouterr().err
    assert error == (
        "tdbg: warning: recording stopped: measuring failed with ZeroDivisionError: by mistake; the program goes on\n"
    )
    assert "by mistake" in facts(tmp_path)[0]["fault"]
    assert recorder.log.begin_execution(0, 0, 0, []) == -1


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_for_the_program_passes(recorder: Recorder, error: type[BaseException]) -> None:
    with pytest.raises(error), recorder.guard("measuring"):
        raise error
    assert recorder.active
