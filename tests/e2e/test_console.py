"""`tdbg console` as a user starts it: scripts, pipes, and keys typed at a real terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import programs
from tests.console.recorded import LOG_LINE, recorded_training
from tests.e2e.page.long_trace import EVENTS, write_long_trace
from tests.e2e.page.recorded import shared

COMMAND = [sys.executable, "-m", "tensordbg", "console"]
WALK = """\
ri
lt
pt dense/kernel -x 1
lt -f has_inf_or_nan -x 2
pt Log:0 -x 2
/inf
li Log
pt Softmax:0 -x 2 -r [0,0] -s
ps train.py -b 11 -x 2
ev "np.sum(`Softmax:0@1` == 0)"
why
exit
"""
PATIENCE_S = 200
"""A busy machine is no fault."""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded_training(tmp_path_factory)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With folders of its own, so that no test sees what another typed."""
    own = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return {**os.environ, **own, "TERM": "xterm", "NO_COLOR": "1", "PROMPT_TOOLKIT_NO_CPR": "1"}


def tdbg(environment: dict[str, str], *words: str | Path, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, words)]
    return programs.run(command, input=typed, capture_output=True, text=True, check=False, env=environment)


def checked_walk(out: str) -> None:
    """What the classic walk finds."""
    assert "4 runs" in out
    assert re.search(r'\d+ tensors of run 2 passing filter "has_inf_or_nan":', out)
    assert 'Tensor "Log:0":' in out
    assert "|- (1) [Softmax] Softmax:0" in out
    assert re.search(r"Highlighted\(\[0,0\]\): (\d+) of 128 element\(s\)", out)
    under = (
        rf"^L{LOG_LINE} .*tf\.math\.log\(probs\)\)(\n {{10}}.*)*?\n {{10}}Log  Log  float32\[32, 4\] \d+ -inf of 128"
    )
    assert re.search(under, out, re.MULTILINE)
    assert "cause   log_of_zero" in out


def test_the_classic_walk_as_a_script(trace: Path, environment: dict[str, str]) -> None:
    ended = tdbg(environment, trace, "-c", WALK)
    assert (ended.returncode, ended.stderr) == (0, "")
    checked_walk(ended.stdout)
    zeros = re.search(r"Highlighted\(\[0,0\]\): (\d+) of", ended.stdout)
    assert zeros is not None
    assert f"\n{zeros[1]}\n" in ended.stdout


def test_the_classic_walk_from_a_pipe(trace: Path, environment: dict[str, str]) -> None:
    ended = tdbg(environment, trace, typed=WALK.replace("why\n", "whi\nwhy\n"))
    assert ended.returncode == 0
    assert ended.stderr == "error: no command 'whi'; did you mean 'why'?\n"
    checked_walk(ended.stdout)


def test_a_script_ends_with_code_2_at_what_fails(trace: Path, environment: dict[str, str]) -> None:
    ended = tdbg(environment, trace, "-c", "ver; pt Lug; lt")
    assert ended.returncode == 2
    assert ended.stderr.startswith("tdbg: error: no tensor 'Lug:0' was recorded; did you mean 'Log:0'")
    assert ended.stderr.count("\n") == 1
    assert "tdbg> lt" not in ended.stdout


@contextlib.contextmanager
def terminal(environment: dict[str, str], trace: Path) -> Iterator[int]:
    """A terminal with the plain prompt; what is written to it is typed."""
    own, its = pty.openpty()
    process = subprocess.Popen([*COMMAND, trace, "--plain"], stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    try:
        yield own
    finally:
        os.close(own)
        process.kill()
        process.wait()


def read_until(terminal: int, wanted: str) -> str:
    """What the terminal shows until a text comes."""
    shown, end = "", time.monotonic() + PATIENCE_S
    while wanted not in shown:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"{wanted!r} did not come after {shown!r}"
        shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


def test_keys_at_a_terminal_complete_and_recall_lines(trace: Path, environment: dict[str, str]) -> None:
    with terminal(environment, trace) as typing:
        read_until(typing, "tdbg>")
        os.write(typing, b"pt Soft\t -x 2\r")
        assert "shape: (32, 4)" in read_until(typing, "Enter shows more")
        os.write(typing, b"\x1b[A\r")
        read_until(typing, 'Tensor "Softmax:0":')
        os.write(typing, b"nonsense\r")
        read_until(typing, "error: no command 'nonsense'")


def test_ten_million_tensors_are_listed_a_screenful_at_a_time(
    tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]
) -> None:
    with terminal(environment, shared(tmp_path_factory, "ten-million", write_long_trace)) as typing:
        read_until(typing, "tdbg>")
        more = f"of {EVENTS + 1:,}; Enter shows more"
        for line in (b"lt\r", b"/Log:0\r", b"lt -s max -r\r"):
            os.write(typing, line)
            read_until(typing, more)
