from __future__ import annotations

import io
from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.console.plain.script import ScriptFace
from tensordbg.console.running import Go, GoKind, Stop, StopKind
from tests.console.recorded import still


def test_commands_are_typed_until_the_script_ends(console: Console) -> None:
    out = io.StringIO()
    assert ScriptFace("ver; lt -n Log$", out).converse(console) == Go(GoKind.EXIT, exit_code=0)
    said = out.getvalue()
    assert said.startswith("tdbg> ver\n")
    assert "tdbg> lt -n Log$\n4 tensors of the trace:\n" in said


def test_a_script_goes_on_at_the_next_stop(trained: Path) -> None:
    out = io.StringIO()
    face = ScriptFace("run -n\nlt -n Log$", out)
    assert face.converse(still(trained, 1)) == Go(GoKind.RUN, recorded=None)
    assert face.converse(still(trained, 2)) == Go(GoKind.EXIT, exit_code=0)
    assert "run-end: run #2: train_step(x, y)\ntdbg> lt -n Log$\n1 tensor of run 2:\n" in out.getvalue()


def test_the_first_command_that_fails_ends_it(console: Console, capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    assert ScriptFace("pt Lug; ver", out).converse(console) == Go(GoKind.EXIT, exit_code=2)
    assert capsys.readouterr().err.startswith("tdbg: error: no tensor 'Lug:0' was recorded; did you mean 'Log:0'")
    assert "tdbg> ver" not in out.getvalue()


def test_why_the_program_stopped_is_said(trained: Path) -> None:
    out = io.StringIO()
    stop = Stop(StopKind.AFTER, 2, "train_step(x, y)", reason="breakpoint 1", filter="nan")
    ScriptFace("", out).converse(still(trained, 2, stop))
    assert out.getvalue() == 'run-end: run #2: train_step(x, y)\nbreakpoint 1\na tensor passes filter "nan"\n'
