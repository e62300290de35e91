from __future__ import annotations

import sys

import pytest

from tensordbg.recording.handed_on import HandedOn, hand_on, handed_on

WATCHING = HandedOn("watcher", ("word",))
PYTHON = sys.executable


@pytest.mark.parametrize(
    ("plain", "watched"),
    [
        (("train.py", "--lr", "1"), ("-m", "watcher", "word", "train.py", "--lr", "1")),
        (("-u", "train.py"), ("-u", "-m", "watcher", "word", "train.py")),
        (("-u", "-m", "package", "x"), ("-u", "-m", "watcher", "word", "-m", "package", "x")),
    ],
)
def test_a_program_is_watched(plain: tuple[str, ...], watched: tuple[str, ...]) -> None:
    assert WATCHING.command((PYTHON, *plain)) == (PYTHON, *watched)


@pytest.mark.parametrize(
    "command",
    [
        ("/bin/bash", "train.sh"),
        (PYTHON,),
        (PYTHON, "-c", "pass"),
        (PYTHON, "-X", "dev", "train.py"),
        (PYTHON, "-u", "-m", "tensordbg", "run", "train.py"),
        (PYTHON, "-m", "tensordbg.checking.launch", "train.py"),
    ],
)
def test_what_is_no_program_or_watched_already_stays(command: tuple[str, ...]) -> None:
    assert WATCHING.command(command) == command


def test_a_function_runs_under_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    module = type(sys)("watcher")
    module.run_function = lambda words, function: told.extend([words, function()])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "watcher", module)
    WATCHING.run(lambda: 3)
    assert told == [("word",), 3]


def test_it_is_handed_on() -> None:
    assert handed_on() is None
    try:
        hand_on(WATCHING)
        assert handed_on() is WATCHING
    finally:
        hand_on(None)
