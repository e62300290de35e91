"""Functions stop at lines of interest: with what goes in and what came out, in any thread, while somebody asks.

In this process, so that the compiled part can be run with sanitizers (see `make sanitize`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.model import Detail, Frame
from tensordbg.recording.lines import EagerOperation, GraphLine
from tensordbg.recording.plan import Plan
from tensordbg.recording.runs import Run
from tensordbg.recording.session import Session


class Lines:
    """A `LineWatch` that notes what it is told of the lines with a word behind them."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.on_change: Callable[[], None] = lambda: None
        self.version = 1
        self.wants_operations, self.wants_lines = False, True
        self.met: list[tuple[str, bool, dict[str, Any], dict[str, Any]]] = []
        self.answer: str | None = None
        self._lock = threading.Lock()

    def before_operation(self, operation: EagerOperation) -> None: ...

    def raised(self) -> None: ...

    def began(self, run: Run, execution: int) -> None: ...

    def depth(self, frames: tuple[Frame, ...]) -> int | None:
        lines = Path(__file__).read_text().splitlines()
        for depth in range(len(frames) - 1, -1, -1):
            frame = frames[depth]
            if frame.file == __file__ and f"# {self.word}" in lines[frame.line - 1]:
                return depth
        return None

    def names(self, frame: Frame) -> frozenset[str]:
        return frozenset({"x", "texts", "y"})

    def given_at(self, frame: Frame) -> str:
        return ""

    def reached(self, line: GraphLine) -> str | None:
        def copied(arrays: Any) -> dict[str, Any]:
            return {name: array.copy().tolist() for name, array in arrays.items()}

        with self._lock:
            self.met.append((line.operation, line.is_behind, copied(line.tensors), copied(line.names)))
        return self.answer


@contextmanager
def stopping(folder: Path, word: str) -> Iterator[Lines]:
    """Records this process with stops at lines."""
    lines = Lines(word)
    session = Session(folder / "trace", Plan(Detail.HEALTH), "stops")
    session.recorder.lines = lines
    session.start()
    try:
        yield lines
    finally:
        session.stop()


def test_what_goes_in_and_what_comes_out(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor, texts: tf.Tensor) -> Any:
        words = tf.strings.length(texts)  # first
        return tf.sqrt(x) + tf.cast(words, tf.float32)

    with stopping(tmp_path, "first") as lines:
        for texts in (["", "a" * 300], ["x", "yy"]):
            step(tf.constant([4.0, 9.0]), tf.constant(texts))
    assert [(operation, behind) for operation, behind, _, _ in lines.met] == [
        ("StringLength", k % 2 == 1) for k in range(4)
    ]
    assert [tensors for _, behind, tensors, _ in lines.met if behind] == [
        {"StringLength:0": [0, 300]},
        {"StringLength:0": [1, 2]},
    ]
    assert lines.met[0][3]["x"] == [4.0, 9.0]
    # Nobody asks any more, and the function is what it was.
    step(tf.constant([1.0, 1.0]), tf.constant(["a", "b"]))
    assert len(lines.met) == 4


def test_threads_of_a_pipeline_and_the_turns_of_a_loop(tmp_path: Path) -> None:
    def parse(x: tf.Tensor) -> tf.Tensor:
        while x < 3:
            x += 1  # second
        return x

    with stopping(tmp_path, "second") as lines:
        found = list(tf.data.Dataset.range(40).map(parse, num_parallel_calls=4).as_numpy_iterator())
    assert found == [3, 3, 3, 3, *range(4, 40)]
    assert sorted(each for _, behind, tensors, _ in lines.met if behind for each in tensors.values()) == [
        1,
        2,
        2,
        3,
        3,
        3,
    ]


def test_an_answer_fails_the_operation(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x)  # third

    with stopping(tmp_path, "third") as lines:
        lines.answer = "ended here"
        with pytest.raises(tf.errors.InvalidArgumentError, match="ended here"):
            step(tf.constant(1.0))
        lines.answer = None
        assert float(step(tf.constant(0.0))) == 1.0


def test_what_is_put_in_is_taken_out(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x)  # fourth

    step(tf.constant(0.0))
    with stopping(tmp_path, "fourth") as lines:
        step(tf.constant(0.0))
        name = step.get_concrete_function(tf.constant(0.0))._inference_function.name.decode()
        known = hooks().functions.find(name)
        assert known is not None and any(kind.startswith("lines") for kind in known.instruments)
    assert len(lines.met) == 2
    assert not any(kind.startswith("lines") for kind in known_kinds(name))


def known_kinds(name: str) -> list[str]:
    """What a function has nodes for."""
    known = hooks().functions.find(name)
    return [] if known is None else list(known.instruments)
