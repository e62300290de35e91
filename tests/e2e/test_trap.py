"""Trainings that go wrong by themselves after hundreds of steps: trapped, and replayed without the program."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests import programs

PROGRAM = Path(__file__).parent / "programs" / "trainings_gone_wrong.py"
ORIGINS = {
    "rare_sample": ("division_by_zero", "x / tf.norm(x, axis=1, keepdims=True)"),
    "exploding_step": ("arithmetic_overflow", "(y - out) ** 2"),
    "half_precision": ("half_precision_overflow", "training.model"),
    "log_of_zero": ("log_of_zero", "tf.math.log("),
}
"""What each goes wrong by, and what stands in the line."""
NAMES = [f"{name}-{how}" for name in ORIGINS for how in ("fit", "loop")]

REPLAY = """
import sys
from pathlib import Path
import tensorflow
import tensordbg
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import compare
from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.replaying.plan import ReplayPlan

for name in sys.argv[2:]:
    (path,) = list_captures(Path(sys.argv[1], name))
    capture = open_capture(path)
    with tensordbg.record("traces") as recording:
        replayer = Replayer(capture, ReplayPlan(str(path)))
        outcome = compare(capture.header.trouble, replayer.run(replayer.arguments))
    for each in tensordbg.open(recording.path).why().origins:
        if each.consequential and each.source is not None:
            print(name, outcome.value, each.cause, each.source.text, sep="|", flush=True)
"""


def run(folder: Path, *words: str) -> list[str]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = programs.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trainings")


@pytest.fixture(scope="module")
def trained(folder: Path) -> dict[str, tuple[int, bool]]:
    """The step at which each went wrong, and whether its weights were the last good ones; the program is gone since."""
    program = folder / "train.py"
    shutil.copy(PROGRAM, program)
    found = [line.split() for line in run(folder, str(program), "captures")]
    program.unlink()
    return {name: (int(step), same == "True") for name, step, same in found}


@pytest.fixture(scope="module")
def replayed(trained: dict[str, tuple[int, bool]], folder: Path) -> list[list[str]]:
    """How each came out in another process: its name, the outcome, and an origin's cause and line."""
    return [line.split("|", 3) for line in run(folder, "-c", REPLAY, "captures", *NAMES)]


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_the_last_good_ones(trained: dict[str, tuple[int, bool]], name: str) -> None:
    step, same = trained[name]
    assert step >= 200
    assert same


@pytest.mark.parametrize("name", NAMES)
def test_the_capture_leads_to_the_same_origin_without_the_program(replayed: list[list[str]], name: str) -> None:
    cause, text = ORIGINS[name.partition("-")[0]]
    found = [rest for which, *rest in replayed if which == name]
    assert {outcome for outcome, _, _ in found} == {"same"}
    # The sum of the losses that Keras shows has overflowed in the exploding training before: an origin too.
    assert any(which == cause and text in line for _, which, line in found), found
