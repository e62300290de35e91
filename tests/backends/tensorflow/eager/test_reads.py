from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.internals import eager_tensors, pywrap_tfe
from tensordbg.trace.program.facts import Reads
from tensordbg.trace.reader import open_trace

READ: dict[str, Callable[[Any], object]] = {
    "numpy": lambda tensor: tensor.numpy(),
    "float": float,
    "bool": bool,
    "format": lambda tensor: f"{tensor:.3f}",
    "str": str,
    "repr": repr,
    "asarray": np.asarray,
    "array of several": lambda tensor: np.array([tensor, tensor]),
    "mean": np.mean,
    "memoryview": memoryview,
    "NumPy's operator": lambda tensor: np.float32(2) + np.asarray(tensor),
    "capsule": tf.experimental.dlpack.to_dlpack,
    "pickle": pickle.dumps,
    "static value": tf.get_static_value,
    "proto": tf.make_tensor_proto,
    "other device": lambda tensor: tensor.cpu(),
}
if hasattr(tf.constant(0), "__dlpack__"):  # not in 2.16
    READ["DLPack"] = np.from_dlpack
UNREAD: dict[str, Callable[[Any], object]] = {
    "nothing": lambda _: None,
    "an operation": lambda tensor: tensor + 1.0,
    "shape": lambda tensor: (tensor.shape, tensor.dtype, tensor.ndim),
    "constant": tf.constant,
    "a list": lambda tensor: [tensor],
}


def reads(folder: Path, program: Callable[[], object]) -> Reads:
    with tensordbg.record(folder) as recording:
        program()
    noted = open_trace(recording.path).facts.reads
    assert noted is not None
    return noted


def test_whatever_reads_a_bad_value_is_noted(tmp_path: Path) -> None:
    zero, found = tf.constant(0.0), {}

    def program() -> None:
        for name, use in {**READ, **UNREAD}.items():
            value = zero / zero
            found[name] = value._tensordbg[1] >> 16
            use(value)
            # A good one passes by.
            use(zero + 1.0)

    noted = {execution for execution, *_ in reads(tmp_path, program).values}
    assert {name for name, execution in found.items() if execution in noted} == set(READ)


def test_what_lives_at_the_end_is_held(tmp_path: Path) -> None:
    zero, kept = tf.constant(0.0), []

    def program() -> None:
        kept.append(zero / zero)
        _ = zero / zero

    noted = reads(tmp_path, program)
    assert (len(noted.values), len(noted.held)) == (0, 1)


def test_a_tensor_that_is_always_read_is_noted_a_hundred_times(tmp_path: Path) -> None:
    zero = tf.constant(0.0)

    def program() -> None:
        for _ in range(300):
            float(zero / zero)

    noted = reads(tmp_path, program)
    assert (len(noted.values), len(noted.always), len(noted.held)) == (100, 1, 0)


def test_where_it_was_first_read_is_in_each_trace(tmp_path: Path) -> None:
    zero = tf.constant(0.0)

    def program() -> None:
        value = zero / zero
        np.asarray(value)  # first
        float(value)

    for name in ("one", "two"):
        with tensordbg.record(tmp_path / name) as recording:
            program()
        reader = open_trace(recording.path)
        assert reader.facts.reads is not None
        ((_, _, stack),) = reader.facts.reads.values
        line = [frame for frame in reader.stacks()[stack] if frame.user][-1]
        assert (line.function, line.line) == ("program", program.__code__.co_firstlineno + 2)


def test_each_output_counts_for_itself(tmp_path: Path) -> None:
    def program() -> None:
        first, _ = tf.nn.moments(tf.constant([np.nan, 1.0]), [0])
        _, second = tf.unstack(tf.constant([1.0, np.nan]) * 1.0)
        float(second)
        del first

    assert [slot for _, slot, _ in reads(tmp_path, program).values] == [1]


def test_the_error_of_a_read_is_the_programs_own(tmp_path: Path) -> None:
    def program() -> None:
        value = tf.constant([0.0, 1.0]) / 0.0
        with pytest.raises(ValueError, match=r"truth value|only length-1|ambiguous"):
            bool(value)
        with pytest.raises(TypeError, match=r"only|scalar"):
            float(value)

    assert len(reads(tmp_path, program).values) == 1


def test_one_step_in_several_says_nothing(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, every=2) as recording:
        float(tf.constant(0.0) / 0.0)
    assert open_trace(recording.path).facts.reads is None


def test_all_is_as_before_afterwards(tmp_path: Path) -> None:
    _, base = eager_tensors()
    owners = [(base, "_numpy"), (base, "_copy_nograd"), (pywrap_tfe, "TFE_ToDlpackCapsule")]
    before = [getattr(owner, name) for owner, name in owners]
    value = tf.constant(0.0) / 0.0
    reads(tmp_path, lambda: None)
    assert [getattr(owner, name) for owner, name in owners] == before
    assert np.isnan(np.asarray(value))
    gc.collect()
