"""The training that all callbacks hold; the callbacks themselves are in tests/e2e/test_callbacks.py."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.recording.session import Session
from tensordbg.training.observed import Observation, ObservedTraining


def test_a_training_is_recorded_from_begin_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    training = ObservedTraining(Observation(tmp_path / "traces"))
    assert training.why() is None
    training.begin()
    assert Session.current() is not None
    training.end()
    assert Session.current() is None
    result = training.why()
    assert result is not None
    assert (result.status, result.tensor_events) == ("finite", 0)
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"tdbg: the trace is {training.path}; `tdbg why {training.path}` tells more"
    training.end()
    assert capsys.readouterr().err == ""


def test_each_training_has_a_trace_of_its_own(tmp_path: Path) -> None:
    training = ObservedTraining(Observation(tmp_path))
    paths = []
    for _ in range(2):
        training.begin()
        training.end()
        paths.append(training.path)
    assert len(set(paths)) == 2


def test_a_process_that_is_recorded_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tensordbg.record(tmp_path / "outer"):
        outer = Session.current()
        training = ObservedTraining(Observation(tmp_path / "inner"))
        training.begin()
        training.end()
        assert Session.current() is outer
    assert (training.path, training.why()) == (None, None)
    assert not (tmp_path / "inner").exists()
    assert capsys.readouterr().err == ""


def test_a_recording_that_cannot_begin_is_said_and_the_training_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    training = ObservedTraining(Observation(tmp_path / "file"))
    training.begin()
    training.end()
    assert training.path is None
    assert capsys.readouterr().err.startswith("tdbg: warning: the training is not recorded: ")


def test_another_word_for_bad_steps_is_refused_at_once() -> None:
    with pytest.raises(tensordbg.UsageError, match="'explode'"):
        Observation(on_bad="explode")
    with pytest.raises(tensordbg.UsageError, match="'comet'"):
        Observation(attach="comet")


def test_findings_that_cannot_be_attached_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    training = ObservedTraining(Observation(tmp_path, attach="wandb"))
    training.begin()
    training.end()
    assert capsys.readouterr().err.splitlines()[-1].startswith("tdbg: warning: ")
