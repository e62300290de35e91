from __future__ import annotations

import os
import pty
import sys
import threading
import time
from pathlib import Path

import pytest

from tensordbg.cli.running import first_finding
from tensordbg.cli.running.first_finding import FirstFinding, may_tell
from tensordbg.watching.news import News

ASKS = """
import tty
from tensordbg.cli.running.first_finding import may_tell
print("as it is", may_tell())
tty.setcbreak(2)
print("single keys", may_tell())
"""


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_finding, "INTERVAL", 0.01)


NEWS = News("finding", "log_of_zero", "Log made 1 × -inf", "train.py:7", "", "", "", "Log:0")


@pytest.mark.usefixtures("_quick")
def test_the_first_finding_is_told_in_one_line(
    sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first_finding, "may_tell", lambda: True)
    monkeypatch.setattr(first_finding, "_first_finding", lambda _: NEWS)
    said, end = "", time.monotonic() + 60
    with FirstFinding(sample):
        while time.monotonic() < end and not said.endswith("tells more\n"):
            time.sleep(0.01)
            said += capsys.readouterr().err
        time.sleep(0.05)
    # The program may have left the cursor anywhere.
    assert said + capsys.readouterr().err == (
        f"\ntdbg: Log made 1 × -inf (train.py:7); `tdbg why {sample}` tells more\n"
    )


@pytest.mark.usefixtures("_quick")
def test_what_is_harmless_is_not_told(
    sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = threading.Event()

    def harmless(_: Path) -> None:
        asked.set()

    monkeypatch.setattr(first_finding, "may_tell", lambda: True)
    monkeypatch.setattr(first_finding, "_first_finding", harmless)
    with FirstFinding(sample):
        assert asked.wait(60)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("_quick")
def test_nothing_is_told_where_nobody_looks(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not may_tell()
    with FirstFinding(sample):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, ["as it is True", "single keys False"]),
        ({"CI": "true"}, ["as it is False", "single keys False"]),
        ({"TERM": "dumb"}, ["as it is False", "single keys False"]),
    ],
)
def test_a_terminal_that_the_program_draws_on_is_left_alone(environment: dict[str, str], said: list[str]) -> None:
    child, terminal = pty.fork()
    if not child:
        rest = {name: text for name, text in os.environ.items() if name not in {"CI", "TERM"}}
        os.execve(sys.executable, [sys.executable, "-c", ASKS], {**rest, **environment})
    written = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux' way to say that the other end is closed
            break
        if not part:
            break
        written += part
    os.waitpid(child, 0)
    os.close(terminal)
    assert written.decode().splitlines() == said
