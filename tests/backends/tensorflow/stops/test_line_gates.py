"""Functions stop at lines of interest: with what goes in and what came out, in any thread, while somebody asks.

In this process, so that the compiled part can be run with sanitizers (see `make sanitize`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.hooks import hooks
from tests.backends.tensorflow.stops.watching import stopping


def test_what_goes_in_and_what_comes_out(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor, texts: tf.Tensor) -> Any:
        words = tf.strings.length(texts)  # first
        return tf.sqrt(x) + tf.cast(words, tf.float32)

    with stopping(tmp_path, __file__, "first") as lines:
        for texts in (["", "a" * 300], ["x", "yy"]):
            step(tf.constant([4.0, 9.0]), tf.constant(texts))
    assert [each[:2] for each in lines.met] == [("StringLength", k % 2 == 1) for k in range(4)]
    assert [each.tensors for each in lines.met if each.is_behind] == [
        {"StringLength:0": [0, 300]},
        {"StringLength:0": [1, 2]},
    ]
    assert lines.met[0].names["x"] == [4.0, 9.0]
    # Nobody asks any more, and the function is what it was.
    step(tf.constant([1.0, 1.0]), tf.constant(["a", "b"]))
    assert len(lines.met) == 4


def test_threads_of_a_pipeline_and_the_turns_of_a_loop(tmp_path: Path) -> None:
    def parse(x: tf.Tensor) -> tf.Tensor:
        while x < 3:
            x += 1  # second
        return x

    with stopping(tmp_path, __file__, "second") as lines:
        found = list(tf.data.Dataset.range(40).map(parse, num_parallel_calls=4).as_numpy_iterator())
    assert found == [3, 3, 3, 3, *range(4, 40)]
    assert sorted(each for met in lines.met if met.is_behind for each in met.tensors.values()) == [
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

    with stopping(tmp_path, __file__, "third") as lines:
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
    with stopping(tmp_path, __file__, "fourth") as lines:
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
