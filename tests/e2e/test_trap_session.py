"""`tensordbg.trap` in programs with TensorFlow: several traps one after the other, and functions traced before."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.trap import trapping as trap
from tensordbg.capture.reader import open_capture
from tests.backends.tensorflow.trap.test_trapping import BAD, HandWritten, batches, state_before_bad_batch


def run(program: Any, number: int) -> None:
    program.step(tf.constant(batches()[number]))


@pytest.fixture(autouse=True)
def _all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of this process have left functions of their own: no name is left out."""
    monkeypatch.setattr(trap, "listed", ", ".join)


def traced_before(said: str) -> list[str]:
    """The functions that are named."""
    found = re.findall(r"^tdbg: warning: (.*): traced before", said, re.MULTILINE)
    return [name for names in found for name in names.split(", ")]


def test_a_function_traced_before_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = HandWritten()
    run(program, 0)
    with tensordbg.trap(tmp_path):
        run(program, BAD)
    said = capsys.readouterr().err
    assert "_step" in traced_before(said)
    assert "traced before the trap was set, so not tested; set the trap before the first call" in said
    assert "can't be looked into" not in said


def test_a_function_keeps_its_trap_for_a_later_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = state_before_bad_batch(HandWritten)
    with tensordbg.trap(tmp_path / "first"):
        program = HandWritten()
        run(program, 0)
    run(program, 1)
    with tensordbg.trap(tmp_path / "second") as second:
        run(program, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="tensordbg trap: "):
            run(program, BAD)
    assert program.state() == expected
    assert [open_capture(path).header.function for path in second.captures] == ["_step"]
    assert second.captures[0].parent == tmp_path / "second"
    assert "_step" not in traced_before(capsys.readouterr().err)


def test_a_later_trap_may_leave_steps_out_where_the_first_let_them_fail(tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path / "first"):
        program = HandWritten()
        run(program, 0)
    kernel = program.kernel.numpy().tobytes()
    with tensordbg.trap(tmp_path / "second", "skip") as trap:
        run(program, BAD)
    assert program.kernel.numpy().tobytes() == kernel
    assert len(trap.captures) == 1
    run(program, BAD)
    assert program.kernel.numpy().tobytes() != kernel
