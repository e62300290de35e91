"""A recorded run, a check and the replay of what a trap caught name the same line, for all programs of these tests.

Where nothing goes wrong, none of them says a word. What was caught is replayed in a process that never saw the
programs, one for all of them. Every twentieth program is tried each time; `TDBG_ALL_PROGRAMS=1` has all tried, which
takes a quarter of an hour, and words in it, with commas, those whose name holds one of them.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import keras
import pytest

import tensordbg
from tensordbg.capture.reader import list_captures
from tests.backends.tensorflow.checked import checking
from tests.e2e.gone_wrong import FINITE, HARMLESS, PROGRAMS, Program

Line = tuple[str, int]

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.shuffle=True. was passed:UserWarning"),
]

ALL = {**PROGRAMS, **HARMLESS, **FINITE}
WANTED = os.environ.get("TDBG_ALL_PROGRAMS", "")
EVERY = 1 if WANTED else 20
NAMED = [name for name in ALL if WANTED in ("", "1") or any(word in name for word in WANTED.split(","))]
CHOSEN = {name: ALL[name] for name in NAMED[::EVERY]}


@dataclass(frozen=True)
class Answers:
    """What was said of one program."""

    entries: list[Line]
    """The lines of `why`, those that matter, the first first; where none does, the harmless ones."""
    checked: Line | None
    caught: bool
    """Whether a training step was captured."""
    replayed: list[Line] | None
    """Those of `why` in the replay; None where nothing was caught, or it can't be replayed."""


OUTSIDE = "a check names the operation that takes what came from outside, with the argument and the row"
CAUGHT = "the program itself catches what the check raises"
SUMMED = "a check stops at what comes first, a metric's sum; what ruins the training comes first in `why`"
RUNNER = "a thread of TensorFlow's ends by what the check raises, and the program by the end of its queue"

OTHERWISE_CHECKED = {
    "causes.bad_batch_in_a_function": OUTSIDE,
    "trainings_gone_wrong.exploding_step_fit": SUMMED,
    "published_bugs.v1_summary_and_train": CAUGHT,
    "stores.queue_filled_by_a_runner": RUNNER,
    "stores.slices_in_batches": RUNNER,
}
"""Programs in which a check names another line, or none, with the reason."""

TWO_TROUBLES = {"published_bugs.vae_fit"}
"""Programs with two troubles in one step, independent of each other: which of them a check sees first is chance."""

RUINED_BEFORE = {"updates.update_that_made_the_gradient_large"}
"""Programs whose caught step begins with a variable that an earlier one had ruined: no line of the step is to blame."""

NOT_REPLAYED = {
    "variables_as_arguments.training_that_diverges",
    "variables_as_arguments.an_optimizer_in_a_function",
}
"""Programs whose step is given a variable from outside: they are caught, but their captures are refused."""


def lines_of(trace: Path) -> list[Line]:
    origins = tensordbg.open(trace).why().origins
    origins = [each for each in origins if each.place is None or not each.place.file.startswith("<")]  # of this test
    matter = [each for each in origins if each.consequential]
    return [(Path(each.place.file).name, each.place.line) for each in matter or origins if each.place]


def recorded(program: Program, folder: Path) -> list[Line]:
    keras.utils.set_random_seed(1)
    with tensordbg.record(folder) as recording, contextlib.suppress(Exception):
        program()
    return lines_of(recording.path)


def checked(program: Program) -> Line | None:
    raised: list[object] = []
    usual, threading.excepthook = threading.excepthook, lambda thrown: raised.append(thrown.exc_value)
    keras.utils.set_random_seed(1)
    try:
        with checking(path_length_limit=None):
            program()
    except Exception as error:  # noqa: BLE001  Keras wraps them in its own
        raised.append(error)
    finally:
        threading.excepthook = usual
    found = re.search(r"^ *Source: (.*) \(L(\d+)\)", str(next(iter(raised), "")), re.MULTILINE)
    return None if found is None else (Path(found[1]).name, int(found[2]))


def trapped(program: Program, folder: Path) -> Path | None:
    keras.utils.set_random_seed(1)
    with tensordbg.trap(folder, "record", most=1), contextlib.suppress(Exception):
        program()
    return next(iter(list_captures(folder)), None)


def replayed(captures: dict[str, Path], folder: Path) -> dict[str, list[Line]]:
    """Replays captures in one process without the programs."""
    asked = json.dumps({name: [str(path), str(folder / name)] for name, path in captures.items()})
    done = subprocess.run([sys.executable, "-c", _REPLAY], input=asked, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused = set(done.stdout.split())
    assert refused == NOT_REPLAYED & captures.keys(), done.stderr
    return {name: lines_of(folder / name) for name in captures if name not in refused}


_REPLAY = """
import json, sys
from pathlib import Path
from tensordbg.errors import CaptureError
from tensordbg.replaying.launch import replay
from tensordbg.replaying.plan import ReplayPlan

for name, (capture, trace) in json.load(sys.stdin).items():
    try:
        replay(Path(trace), ReplayPlan(capture))
    except CaptureError as error:
        print(error, file=sys.stderr)
        print(name)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    folder = tmp_path_factory.mktemp("lines")
    gc.unfreeze()  # functions that TensorFlow itself traced in tests before are found among what is collected
    entries, found, captures = {}, {}, {}
    for name, program in CHOSEN.items():
        entries[name] = recorded(program, folder / "recorded" / name)
        found[name] = checked(program)
        capture = trapped(program, folder / "captures" / name)
        if capture is not None:
            captures[name] = capture
        keras.backend.clear_session()
    again = replayed(captures, folder / "replayed")
    return {name: Answers(entries[name], found[name], name in captures, again.get(name)) for name in CHOSEN}


@pytest.mark.parametrize("name", CHOSEN)
def test_one_line(answers: dict[str, Answers], name: str) -> None:
    said = answers[name]
    assert bool(said.entries) == (name not in FINITE), said
    first = said.entries[0] if said.entries else None
    if name in HARMLESS:
        assert said.checked in (None, first), said
    elif name not in TWO_TROUBLES:
        assert (said.checked != first) == (name in OTHERWISE_CHECKED), said
    assert said.caught or name not in NOT_REPLAYED
    assert not (said.caught and name in FINITE), said
    if said.replayed is not None:
        assert (said.replayed[:1] != [first]) == (name in RUINED_BEFORE), said
        assert bool(said.replayed) != (name in RUINED_BEFORE), said


def test_every_exception_is_a_program() -> None:
    assert OTHERWISE_CHECKED.keys() | TWO_TROUBLES | RUINED_BEFORE | NOT_REPLAYED <= ALL.keys()
