"""A recorded run, a check and the replay of what a trap caught name the same line, for all programs of these tests.

Where nothing goes wrong, none of them says a word. What was caught is replayed in a process that never saw the
programs, one for all of them. Every twentieth program is tried each time; `TDBG_ALL_PROGRAMS=1` has all tried, which
takes a quarter of an hour, and words in it, with commas, those whose name holds one of them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.e2e.gone_wrong import FINITE, HARMLESS
from tests.e2e.one_line import ALL, Answers, Line

ROOT = Path(__file__).parents[2]

WANTED = os.environ.get("TDBG_ALL_PROGRAMS", "")
EVERY = 1 if WANTED else 20
CHOSEN = [name for name in ALL if WANTED in ("", "1") or any(word in name for word in WANTED.split(","))][::EVERY]

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


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    folder = tmp_path_factory.mktemp("lines")
    command = [sys.executable, "-m", "tests.e2e.one_line", str(folder), *CHOSEN]
    done = programs.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: _answers(each) for name, each in json.loads((folder / "answers.json").read_text()).items()}


def _answers(said: dict[str, list[str | int] | bool | None]) -> Answers:
    def lines(found: list[list[str | int]] | None) -> list[Line] | None:
        return None if found is None else [(str(file), int(line)) for file, line in found]

    first = lines(None if said["checked"] is None else [said["checked"]])
    return Answers(
        lines(said["entries"]) or [], first[0] if first else None, bool(said["caught"]), lines(said["replayed"])
    )


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
    assert (said.caught and said.replayed is None) == (name in NOT_REPLAYED)
    if said.replayed is not None:
        assert (said.replayed[:1] != [first]) == (name in RUINED_BEFORE), said
        assert bool(said.replayed) != (name in RUINED_BEFORE), said


def test_every_exception_is_a_program() -> None:
    assert OTHERWISE_CHECKED.keys() | TWO_TROUBLES | RUINED_BEFORE | NOT_REPLAYED <= ALL.keys()
