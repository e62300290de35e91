"""However a program ends, also in the middle of a step: all up to there is in the trace, and `tdbg why` explains it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.backends.tensorflow.recorded import Recorded, read
from tests.e2e.faults.programs import both_ways, run, tdbg, training

KILL = "if number == 5: os.kill(os.getpid(), signal.SIGKILL)"
SLEEP = "if number == 5: os.kill(os.getpid(), signal.{}); __import__('time').sleep(60)"
ENDINGS = {
    "killed": (training(middle=KILL), -signal.SIGKILL),
    "killed between steps": (training(after=KILL), -signal.SIGKILL),
    "left at once": (training(middle="if number == 5: os._exit(3)"), 3),
    "terminated": (training(middle=SLEEP.format("SIGTERM")), -signal.SIGTERM),
    "interrupted": (training(after=SLEEP.format("SIGINT")), -signal.SIGINT),
    "crashed": (training(middle="if number == 5: os.kill(os.getpid(), signal.SIGSEGV)"), -signal.SIGSEGV),
    "aborted": (training(middle="if number == 5: os.abort()"), -signal.SIGABRT),
    "raises in a step": (training(middle="if number == 5: raise ValueError('mine')"), 1),
    "raises between steps": (training(after="if number == 5: raise ValueError('mine')"), 1),
    "exits": (training(after="if number == 5: sys.exit(4)"), 4),
    "forked child raises": (training(after="if number == 5 and os.fork() == 0: os._exit(9)"), 0),
}
KEEPING = {"all": (), "the last": ("--last", "1000"), "values": ("--detail", "values")}


@pytest.mark.parametrize("name", ENDINGS)
def test_all_up_to_the_last_finished_step_is_there(tmp_path: Path, name: str) -> None:
    program, code = ENDINGS[name]
    both = both_ways(tmp_path, program)
    assert both.plain.code == code
    check(tmp_path, both.read())


@pytest.mark.parametrize("keeping", ["the last", "values"])
def test_killed_in_the_middle_of_a_step(tmp_path: Path, keeping: str) -> None:
    both = both_ways(tmp_path, ENDINGS["killed"][0], KEEPING[keeping])
    check(tmp_path, both.read())


def check(folder: Path, recorded: Recorded) -> None:
    """Steps 0 to 4 are complete, and step 5 has its beginning."""
    for name in ("Log", "EagerPyFunc", "mul", "Sum"):
        found = recorded.of(name)
        assert [event.step for event in found][:5] == [0, 1, 2, 3, 4], name
    assert [event.row["neg_inf"] for event in recorded.of("Log")][:5] == [0, 0, 0, 0, 1]
    assert [event.row["max"] for event in recorded.of("x")][:5] == [4.0, 3.0, 2.0, 1.0, 1.0]
    assert [row["step"] for row in recorded.executions if row["function"] >= 0] == [0, 1, 2, 3, 4, 5]
    why = tdbg(folder / "recorded", "why")
    assert why.code == 0, why.err
    assert "log_of_zero" in why.out or "logarithm of zero" in why.out.lower(), why.out
    assert "tf.math.log(x)" in why.out


@pytest.mark.usefixtures("cold")
def test_killed_beside_us(tmp_path: Path) -> None:
    """Of `tdbg run` itself killed, the program knows nothing, and goes on being recorded."""
    text = training(after="if number == 2: os.kill(os.getppid(), signal.SIGKILL)", end="open('done', 'w').close()")
    (tmp_path / "recorded").mkdir()
    (tmp_path / "recorded" / "program.py").write_text(text)
    done = tdbg(tmp_path / "recorded", "run", "program.py")
    assert done.code == -signal.SIGKILL
    # Its output is read to its end, which is the program's.
    assert (tmp_path / "recorded" / "done").exists()
    (trace,) = (tmp_path / "recorded" / "tdbg-traces").iterdir()
    check(tmp_path, read(trace))


def test_a_program_that_changes_its_folder(tmp_path: Path) -> None:
    text = training(after="os.makedirs('deeper', exist_ok=True); os.chdir('deeper')", end="")
    both = both_ways(tmp_path, text, ("--last", "1000", "--graphs"))
    recorded = both.read()
    assert "recording stopped" not in both.recorded.err
    assert recorded.reader.facts.end is not None
    check(tmp_path, recorded)


def test_a_long_program_that_changes_its_folder_first(tmp_path: Path) -> None:
    text = (
        "import os, tensorflow as tf\nos.makedirs('deeper'); os.chdir('deeper')\n"
        "@tf.function\ndef run():\n    x = tf.constant(1.0)\n"
        "    for i in tf.range(30000):\n        x = tf.sin(x + 1.0)\n    return x\n"
        "print(float(run()))\n"
    )
    both = both_ways(tmp_path, text, ("--detail", "ops"))
    recorded = both.read()
    assert "recording stopped" not in both.recorded.err
    assert len(recorded.of("while/Sin") or recorded.of("Sin")) == 30000


def test_the_plain_program_is_right(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(training())
    out = run(tmp_path, "program.py").out.split()
    assert out[1::2][-2:] == ["inf", "nan"]
