"""Stacks of eager operations and of operations in graphs lead to the user's line."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import tensorflow as tf

from tensordbg.backends.tensorflow.stack_keys import DEEPEST, stack_key
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.recording.catalog import Catalog
from tests.backends.tensorflow.recorded import record


def test_the_current_stack_ends_at_the_users_line() -> None:
    catalog = Catalog()
    stacks = Stacks(catalog)
    frame = sys._getframe()
    key, line = stack_key(frame), inspect.currentframe().f_lineno  # type: ignore[union-attr]
    frames = catalog.frames(stacks.current(key, frame))
    user = [frame for frame in frames if frame.file == __file__]
    assert user[-1].function == "test_the_current_stack_ends_at_the_users_line"
    assert abs(user[-1].line - line) <= 1
    assert stacks.current(key, frame) == stacks.current(key, frame)


def scale(x: tf.Tensor) -> tf.Tensor:
    if tf.reduce_sum(x) > 0:
        x = tf.math.log(x)
    return x * 2.0


def test_operations_in_a_graph_lead_to_the_source_and_not_to_what_autograph_made_of_it() -> None:
    catalog = Catalog()
    graph = tf.function(scale).get_concrete_function(tf.TensorSpec([4], tf.float32)).graph
    stacks = Stacks(catalog).of_graph(graph)
    frames = [frame for frame in catalog.frames(stacks["Sum"]) if frame.user]
    assert frames[-1].file == __file__
    text = Path(__file__).read_text().splitlines()[frames[-1].line - 1]
    assert text == "    if tf.reduce_sum(x) > 0:"
    assert "__autograph_generated" not in str(frames)


class Frames:
    """A stack as TensorFlow gives it, which counts how many of its frames are looked at."""

    def __init__(self, frames: list[tuple[str, int, str]], looked_at: list[int]) -> None:
        self._frames, self._looked_at = frames, looked_at

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, part: slice) -> Frames:
        return Frames(self._frames[part], self._looked_at)

    def __iter__(self) -> Iterator[SimpleNamespace]:
        for file, line, name in self._frames:
            self._looked_at[0] += 1
            yield SimpleNamespace(filename=file, lineno=line, name=name)

    def __hash__(self) -> int:
        return hash(tuple(self._frames))


def recursion(depth: int) -> list[tuple[str, int, str]]:
    """The stack of a recursion of two functions, in a program."""
    turns = [("net.py", 10 + k % 2, f"turn{k % 2}") for k in range(depth)]
    return [("main.py", 1, "<module>"), *turns, ("net.py", 20 + depth, "leaf")]


def test_an_operation_far_down_costs_no_more_than_one_at_the_limit() -> None:
    looked_at, catalog = [0], Catalog()
    operations = [
        SimpleNamespace(name=f"add{depth}", traceback=Frames(recursion(depth), looked_at)) for depth in range(3000)
    ]
    numbers = Stacks(catalog).of_operations(operations)
    assert looked_at[0] <= len(operations) * DEEPEST
    frames = catalog.frames(numbers["add2999"])
    assert frames[0].file == "main.py"
    assert frames[-1].line == 3019


def test_a_recursion_of_eager_operations_keeps_its_line_once(tmp_path: Path) -> None:
    def deep(x: tf.Tensor, levels: int) -> tf.Tensor:
        return x if levels == 0 else deep(x, levels - 1) + 1.0

    recorded = record(tmp_path, lambda: deep(tf.zeros([]), 300))
    assert len(recorded.of("AddV2")) == 300
    stacks = recorded.reader.stacks()
    used = {recorded.site_of(event).stack for event in recorded.of("AddV2")}
    # Each with all its frames, they would be some 50,000; how many ours are depends on where the test runs.
    assert sum(len(stacks[number]) for number in used) < 8 * DEEPEST
