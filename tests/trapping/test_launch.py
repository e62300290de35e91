from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tensordbg.recording.carried import carry
from tensordbg.trapping.launch import found_behind
from tensordbg.trapping.plan import AskedCall, TrapFound, TrapPlan


class Trap:
    """Knows its own error, whatever its message is."""

    captures: tuple[Path, ...] = ()

    def __init__(self, own: BaseException) -> None:
        self._own = own

    def carry(self, error: BaseException) -> None:
        if error is self._own:
            carry(error, TrapFound("step 3 of f: bad"))


def test_the_sentence_is_that_of_the_exception_that_it_comes_from() -> None:
    inner, outer = ValueError("Graph execution error"), RuntimeError("training failed")
    outer.__cause__ = inner
    traps: Any = [Trap(KeyError()), Trap(inner)]
    assert found_behind(outer, traps) == TrapFound("step 3 of f: bad")
    assert found_behind(RuntimeError("tensordbg trap: step 3 of f: bad"), traps) is None


def test_a_program_has_its_own_exit_code_and_output(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
    plan = TrapPlan(tmp_path / "captures").to_json()
    launcher = [sys.executable, "-m", "tensordbg.trapping.launch", plan, str(program), "a", "-m"]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (7, "['a', '-m'] __main__\n", "")


def test_a_call_that_is_waited_for_in_a_program_without_a_framework_is_said(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('ran')\n")
    plan = TrapPlan(tmp_path / "captures", call=AskedCall("f", 2)).to_json()
    launcher = [sys.executable, "-m", "tensordbg.trapping.launch", plan, str(program)]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert done.stderr == "tdbg: call 2 of f was not captured: the program did not import TensorFlow or PyTorch\n"
