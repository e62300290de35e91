"""What kernels ask of Python: no garbage of the program's is collected there, which may wait for the kernel itself."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import tensorflow as tf

from tests.backends.tensorflow.check.sessions.test_runs import session
from tests.backends.tensorflow.checked import checking
from tests.backends.tensorflow.trap.test_trapping import BAD, HandWritten, batches
from tests.backends.tensorflow.trapped import trapping

ASKED = frozenset({"_judge_graph", "judge", "_decide", "_look", "_lost"})


def functions_of(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_name
        frame = frame.f_back


@contextmanager
def collections() -> Iterator[list[set[str]]]:
    """The functions that run at each collection of garbage, which there is all the time in the block."""
    found: list[set[str]] = []
    note = lambda phase, _: found.append(set(functions_of(sys._getframe()))) if phase == "start" else None  # noqa: E731
    threshold = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(1, 10**6, 10**6)
    try:
        yield found
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(note)


def a_check(_: Path) -> list[set[str]]:
    function = tf.function(tf.math.log)
    with checking():
        function(tf.constant([1.0]))
        return collected_while(lambda: function(tf.constant([-1.0])))


def a_check_in_a_session(_: Path) -> list[set[str]]:
    with session() as running, checking():
        x = tf.compat.v1.placeholder(tf.float32, [1])
        y = tf.math.log(x)
        running.run(y, {x: [1.0]})
        return collected_while(lambda: running.run(y, {x: [-1.0]}))


def a_trap(folder: Path) -> list[set[str]]:
    with trapping(folder):
        program = HandWritten()
        program.step(tf.constant(batches()[0]))
        return collected_while(lambda: program.step(tf.constant(batches()[BAD])))


def collected_while(bad: Callable[[], Any]) -> list[set[str]]:
    with collections() as found, pytest.raises(tf.errors.InvalidArgumentError):
        bad()
    return found


@pytest.mark.parametrize("ask", [a_check, a_check_in_a_session, a_trap])
def test_nothing_is_collected_while_a_kernel_asks(ask: Callable[[Path], list[set[str]]], tmp_path: Path) -> None:
    found = ask(tmp_path)
    assert found, "nothing was collected elsewhere either"
    assert not [functions for functions in found if functions & ASKED]
    assert gc.isenabled()
