from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensordbg.recording.trap_launch import said_of
from tensordbg.recording.trap_plan import MARK, AskedCall, TrapPlan


def test_the_sentence_is_found_in_what_an_exception_comes_from() -> None:
    inner = ValueError(f"Graph execution error:\n\n{MARK}: step 3 of f: bad\n\t [[node]]")
    outer = RuntimeError("training failed")
    outer.__cause__ = inner
    assert said_of(outer) == f"{MARK}: step 3 of f: bad"
    assert said_of(RuntimeError("something else")) is None
    inner.__context__ = outer  # a circle ends too
    assert said_of(ValueError("x")) is None


def test_a_program_has_its_own_exit_code_and_output(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
    plan = TrapPlan(tmp_path / "captures").to_json()
    launcher = [sys.executable, "-m", "tensordbg.recording.trap_launch", plan, str(program), "a", "-m"]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (7, "['a', '-m'] __main__\n", "")


def test_a_call_that_is_waited_for_in_a_program_without_a_framework_is_said(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('ran')\n")
    plan = TrapPlan(tmp_path / "captures", call=AskedCall("f", 2)).to_json()
    launcher = [sys.executable, "-m", "tensordbg.recording.trap_launch", plan, str(program)]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert done.stderr == "tdbg: call 2 of f was not captured: the program did not import TensorFlow\n"
