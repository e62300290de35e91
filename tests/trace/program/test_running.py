from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tensordbg.trace.program.running import is_running
from tests.trace.builder import GONE, builder_metadata

HERE = builder_metadata(16, os.getpid())


def test_this_process_is_running() -> None:
    assert is_running(HERE)


@pytest.mark.parametrize("pid", [GONE, 0, -1, 2**80])
def test_process_that_does_not_exist(pid: int) -> None:
    assert not is_running(replace(HERE, pid=pid))


def test_of_another_machine_nothing_is_known() -> None:
    assert not is_running(replace(HERE, host="another"))


def test_another_process_only_has_the_same_number() -> None:
    assert HERE.started is not None
    assert not is_running(replace(HERE, started=HERE.started - 1))


@pytest.mark.parametrize("day", [-(10**14), 10**14])
def test_a_clock_that_was_set_changes_nothing(day: int) -> None:
    assert is_running(replace(HERE, created_ns=HERE.created_ns + day))


def test_younger_process_only_has_the_number_of_an_older_trace() -> None:
    old = replace(HERE, started=None)
    assert is_running(old)
    assert not is_running(replace(old, created_ns=old.created_ns - 10**18))


def test_dead_process_that_is_not_buried_yet() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(replace(HERE, pid=child.pid))
    child.wait()
    child.stdout.close()
