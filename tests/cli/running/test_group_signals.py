"""A process tells a signal to us from one to our group: each test starts a process in a group of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

OBSERVED = """
import signal, sys
from tensordbg.cli.running.group_signals import GroupSignals
group_signals = GroupSignals((signal.SIGTERM, signal.SIGUSR1))
for number in (signal.SIGTERM, signal.SIGUSR1):
    signal.signal(number, lambda number, frame: print(number, group_signals.saw(number), flush=True))
group_signals.start()
print(group_signals._process.pid, flush=True)
sys.stdin.readline()
group_signals.stop()
"""


@pytest.fixture
def observed() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", OBSERVED]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        process.communicate(timeout=30)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_signals_to_us_and_to_the_group(observed: subprocess.Popen[str]) -> None:
    line_of(observed)
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM):
        observed.send_signal(number)
        assert line_of(observed) == f"{number.value} False"
        os.killpg(observed.pid, number)
        assert line_of(observed) == f"{number.value} True"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_without_an_observer_that_answers_a_signal_was_sent_to_us(observed: subprocess.Popen[str], how: int) -> None:
    observer = int(line_of(observed))
    os.kill(observer, how)
    observed.send_signal(signal.SIGTERM)
    assert line_of(observed) == f"{signal.SIGTERM.value} False"
    if how == signal.SIGSTOP:
        os.kill(observer, signal.SIGCONT)


def test_it_ends_when_we_are_killed(observed: subprocess.Popen[str]) -> None:
    observer = int(line_of(observed))
    observed.kill()
    end = time.monotonic() + 30
    while Path(f"/proc/{observer}").exists() and "State:\tZ" not in Path(f"/proc/{observer}/status").read_text():
        assert time.monotonic() < end, "the observer is still there"
        time.sleep(0.01)
