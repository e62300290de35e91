"""Signals and exit codes pass through: each test starts a small process of its own that uses `Child`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PARENT = """
import sys
from tensordbg.cli.running.child import Child, end_as
child = Child(sys.argv[1:])
child.start()
status = child.wait()
print("summary", flush=True)
sys.exit(end_as(status))
"""
TAKES_SIGNALS = """
import signal, sys, time
def take(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(7)
for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT"):
    signal.signal(getattr(signal, name), take)
print("ready", flush=True)
while True:  # a signal just before a pause would be noticed only after the next one
    time.sleep(0.05)
"""


def start(code: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PARENT, sys.executable, "-c", code]
    # A session of its own has no terminal, so that it's known what is sent to whom.
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT"])
def test_signal_to_us_reaches_the_program(name: str) -> None:
    with start(TAKES_SIGNALS) as process:
        assert read_line(process) == "ready"
        process.send_signal(getattr(signal, name))
        assert read_line(process) == f"got {name}"
        assert read_line(process) == "summary"
        assert process.wait() == 7


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV", "SIGINT"])
def test_we_end_by_the_signal_that_ended_the_program(name: str) -> None:
    code = (
        "import os, signal, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL) if '{name}' != 'SIGKILL' else None\n"
        f"os.kill(os.getpid(), signal.{name})"
    )
    with start(code) as process:
        assert read_line(process) == "summary"
        assert process.wait() == -getattr(signal, name)


@pytest.mark.parametrize("code", [0, 1, 2, 255])
def test_exit_code_passes_through(code: int) -> None:
    with start(f"raise SystemExit({code})") as process:
        assert process.wait() == code


def test_program_has_the_default_signals() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, flush=True)"
    with start(code) as process:
        assert read_line(process) == "True"


def test_ignored_signals_stay_ignored(tmp_path: Path) -> None:
    # As under nohup.
    code = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    inner = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{PARENT}"
    done = subprocess.run(
        [sys.executable, "-c", inner, sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert done.stdout.splitlines() == ["True", "summary"]


def test_interrupt_from_a_terminal_is_not_sent_twice(tmp_path: Path) -> None:
    counter = tmp_path / "count.py"
    counter.write_text(
        "import signal, time\n"
        "count = 0\n"
        "def take(number, frame):\n"
        "    global count\n"
        "    count += 1\n"
        "signal.signal(signal.SIGINT, take)\n"
        "print('ready', flush=True)\n"
        "end = time.monotonic() + 10\n"
        "while not count and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print('count', count, flush=True)\n"
    )
    terminal, other_end = os.openpty()
    # Opening a terminal makes it the one that controls the session.
    parent = f"import os; os.open(os.ttyname(0), os.O_RDWR)\n{PARENT}"
    command = [sys.executable, "-c", parent, sys.executable, str(counter)]
    with subprocess.Popen(
        command, stdin=other_end, stdout=other_end, stderr=other_end, start_new_session=True
    ) as process:
        said = read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        said += read_until(terminal, b"summary")
        assert process.wait() == 0
    os.close(terminal)
    os.close(other_end)
    assert b"count 1" in said


PRINTS_SIGNALS = """
import os, select, signal, sys
for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT"):
    signal.signal(getattr(signal, name), lambda number, frame: print("got", signal.Signals(number).name, flush=True))
print("ready", flush=True)
while sys.stdin.readline():
    pass
"""


def lines_with(name: str, send: Callable[[int, int], None], count: int = 1) -> list[str]:
    """What a program that prints its signals says of those that `send` sends (our process, this one) and two later.

    Args:
        name: Of a signal.
        send: Sends it, to the process or to its group.
        count: How many signals the program gets of what is sent.
    """
    command = [sys.executable, "-c", PARENT, sys.executable, "-c", PRINTS_SIGNALS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert read_line(process) == "ready"
        send(process.pid, getattr(signal, name))
        lines = [read_line(process) for _ in range(count)]
        # By the time the second of these is there, what was sent has been dealt with.
        for _ in range(2):
            process.send_signal(signal.SIGUSR1)
            lines.append(read_line(process))
        said, _ = process.communicate(timeout=30)
        return [*lines, *said.splitlines()]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signal_to_the_group_reaches_the_program_once(name: str) -> None:
    assert lines_with(name, os.killpg) == [f"got {name}", "got SIGUSR1", "got SIGUSR1", "summary"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_to_us_and_then_to_the_group_reaches_the_program_once(name: str) -> None:
    # As `timeout` does.
    def send(process: int, number: int) -> None:
        os.kill(process, number)
        os.killpg(process, number)

    assert lines_with(name, send) == [f"got {name}", "got SIGUSR1", "got SIGUSR1", "summary"]


def test_signal_to_the_group_that_we_take_late_reaches_the_program_once() -> None:
    def send(process: int, number: int) -> None:
        # Of two that wait for us, we take the one with the lower number first.
        os.kill(process, signal.SIGSTOP)
        os.killpg(process, number)
        os.kill(process, signal.SIGUSR1)
        os.kill(process, signal.SIGCONT)

    assert lines_with("SIGTERM", send, 2) == ["got SIGTERM", *["got SIGUSR1"] * 3, "summary"]


def test_nothing_of_ours_is_left(tmp_path: Path) -> None:
    with start("import os; print(os.getpgrp(), flush=True)") as process:
        group = int(read_line(process))
        assert read_line(process) == "summary"
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


def read_until(terminal: int, word: bytes) -> bytes:
    said = b""
    end = time.monotonic() + 20
    while word not in said and time.monotonic() < end:
        try:
            said += os.read(terminal, 1024)
        except OSError:
            break
    return said
