from __future__ import annotations

import os
import subprocess
import sys

from tensordbg.trace.program.process_age import started_of, state_of
from tests.trace.builder import GONE


def test_a_younger_process_began_later() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    own, of_child = started_of(os.getpid()), started_of(child.pid)
    child.communicate(b"\n")
    assert own is not None
    assert of_child is not None
    assert own < of_child


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    assert started_of(GONE) is None


def test_this_process_is_at_work() -> None:
    stated = state_of(os.getpid())
    assert stated is not None
    assert stated[0] == "R"
