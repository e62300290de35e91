"""What eager operations give is recorded with its dtype, device and elements, and known again when it is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg import _native
from tensordbg.backends.tensorflow.hooks import eager_binding
from tensordbg.backends.tensorflow.internals import eager_tensors
from tensordbg.backends.tensorflow.keras.layers import MARK
from tests.backends.tensorflow.recorded import Recorded, record

TENSOR, _ = eager_tensors()
MAKER = object()


def tensor(*mark: object) -> tf.Tensor:
    """A tensor that bears a mark, or none."""
    made = tf.constant(1.0) + 1.0
    if mark:
        setattr(made, MARK, mark)
    return made


def references(*values: object) -> list[int] | None:
    return _native.marked_references((TENSOR, MARK, MAKER, {}, {}), values)


def test_the_marks_of_tensors_and_of_lists_of_them_are_read() -> None:
    one, two = tensor(MAKER, 1 << 40, 7), tensor(MAKER, 3, 8)
    assert references() == []
    assert references(one, two, one) == [1 << 40, 3, 1 << 40]
    assert references([one, two], (), two) == [1 << 40, 3, 3]


@pytest.mark.parametrize(
    "other",
    [
        tensor(),
        tensor(object(), 1, 7),  # another recorder's
        tensor(MAKER, 1, -8),  # a function's result, which may be the handle of a variable
        tensor("no mark"),
        tf.Variable(1.0),
        2.0,
        None,
        [2.0],
        [[tensor(MAKER, 1, 7)]],
    ],
)
def test_one_that_is_not_known_has_all_looked_at(other: object) -> None:
    assert references(tensor(MAKER, 1, 7), other) is None


def test_a_list_in_itself_is_not_gone_through() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert references(endless) is None


def everything() -> None:
    """Takes in each way what operations, functions, variables, datasets and Python give."""
    w = tf.Variable([1.0, 2.0], name="w")
    for x in tf.data.Dataset.from_tensor_slices([[0.0, 3.0], [4.0, -1.0]]):
        y = x * w
        first, second = tf.split(tf.stack([y, y + 1.0]), 2)
        low = tf.cast(tf.concat([second, first], 0), tf.bfloat16)
        tf.strings.as_string(tf.math.log(tf.cast(low, tf.float32)))
        w.assign_add(tf.function(tf.square)(y) * 2.0)
        tf.tensor_scatter_nd_update(y, [[0]], tf.gather(w, [1])) / tf.convert_to_tensor(np.float32(0.0))


def shapes_and_dtypes() -> None:
    """Gives tensors of many shapes and dtypes."""
    for shape in ([], [0], [3, 0, 2], [7], [2, 3, 4], [1] * 12 + [2]):
        x = tf.ones(shape) * 1.0
        for dtype in (tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.uint32, tf.bool, tf.complex64):
            tf.cast(x, dtype)
    tf.transpose(tf.reshape(tf.range(6.0), [2, 3]))[:, 1] / 0.0
    tf.strings.join(["a", "b"])


def flow(recorded: Recorded) -> list[tuple[str, list[int]]]:
    """The types of what ran, in order, each with the references of its inputs."""
    return [(recorded.sites[each["site"]].op_type, list(each["inputs"])) for each in recorded.executions]


def test_what_is_relied_on_in_the_runtime_is_there() -> None:
    assert _native.find_eager_runtime(eager_binding())


@pytest.mark.parametrize("program", [everything, shapes_and_dtypes])
def test_without_it_the_same_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[], None]
) -> None:
    direct = record(tmp_path / "direct", program)
    find = _native.find_eager_runtime
    monkeypatch.setattr(_native, "find_eager_runtime", lambda library: find(f"{library}.none"))
    by_arrays = record(tmp_path / "by arrays", program)
    assert direct.measured() == by_arrays.measured()
    assert flow(direct) == flow(by_arrays)
    assert not find(f"{eager_binding()}.none")


def test_the_quick_way_records_what_the_other_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = record(tmp_path / "quick", everything)
    monkeypatch.setattr(_native, "marked_references", lambda *_: None)
    slow = record(tmp_path / "slow", everything)
    assert flow(quick) == flow(slow)
    assert quick.measured() == slow.measured()
    assert len(flow(quick)) > 40
