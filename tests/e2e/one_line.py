"""Records, checks and traps programs of these tests, and replays what was caught; writes what was said of each as JSON.

It runs in a process of its own: those of the tests hold millions of objects, and each recording looks through them.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import keras

import tensordbg
from tensordbg.capture.reader import list_captures
from tests.backends.tensorflow.checked import checking
from tests.e2e.gone_wrong import FINITE, HARMLESS, PROGRAMS, Program

Line = tuple[str, int]

ALL = {**PROGRAMS, **HARMLESS, **FINITE}


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


def answers(names: list[str], folder: Path) -> dict[str, Answers]:
    """What is said of each of these programs."""
    entries, found, captures = {}, {}, {}
    for name in names:
        entries[name] = recorded(ALL[name], folder / "recorded" / name)
        found[name] = checked(ALL[name])
        capture = trapped(ALL[name], folder / "captures" / name)
        if capture is not None:
            captures[name] = capture
        keras.backend.clear_session()
    again = replayed(captures, folder / "replayed")
    return {name: Answers(entries[name], found[name], name in captures, again.get(name)) for name in names}


if __name__ == "__main__":
    said = answers(sys.argv[2:], Path(sys.argv[1]))
    Path(sys.argv[1], "answers.json").write_text(json.dumps({name: asdict(each) for name, each in said.items()}))
