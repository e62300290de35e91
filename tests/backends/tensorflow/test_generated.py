"""Lines that AutoGraph generated lead back to the program's, in whatever thread they run."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path

import tensorflow as tf

from tensordbg.backends.tensorflow.generated import GeneratedCode

RawFrame = tuple[str, int, str]


def raw_stack() -> tuple[RawFrame, ...]:
    return tuple((frame.filename, frame.lineno or 0, frame.name) for frame in traceback.extract_stack()[:-1])


def stack_in_a_thread() -> tuple[RawFrame, ...]:
    """The stack of a converted function that runs in a thread of its own."""
    stacks: list[tuple[RawFrame, ...]] = []

    def converted(x: tf.Tensor) -> tf.Tensor:
        stacks.append(raw_stack())
        return x

    function = tf.autograph.to_graph(converted)
    thread = threading.Thread(target=lambda: function(tf.constant(1.0)))
    thread.start()
    thread.join()
    return stacks[0]


def test_lines_in_another_thread_are_the_programs_own() -> None:
    stack = stack_in_a_thread()
    assert any("__autograph_generated_file" in frame[0] for frame in stack)
    found = GeneratedCode().original(stack)
    assert not any("__autograph_generated_file" in frame[0] for frame in found)
    (own,) = [frame for frame in found if frame[0] == __file__ and frame[2] == "converted"]
    lines = Path(__file__).read_text().splitlines()
    assert "stacks.append(raw_stack())" in lines[own[1] - 1]


def test_other_stacks_stay_as_they_are() -> None:
    stack = (("/program.py", 3, "main"), ("/program.py", 7, "loss"))
    assert GeneratedCode().original(stack) is stack


def test_a_line_whose_origin_is_not_known_stays() -> None:
    stack = (("/tmp/__autograph_generated_file_none.py", 3, "tf__loss"),)
    assert GeneratedCode().original(stack) == stack
