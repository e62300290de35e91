"""Against PyTorch and TensorFlow, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.analysis.diff.numpy_windows import average_pool, batch_norm, convolution, max_pool

_DRAWN = np.random.default_rng(2)
IMAGE = _DRAWN.normal(size=(2, 4, 9, 8))
CHANNELS_LAST = np.moveaxis(IMAGE, 1, -1)


def same(found: Any, wanted: Any) -> None:
    assert found is not None
    np.testing.assert_allclose(found, np.asarray(wanted), atol=1e-12)


@pytest.mark.parametrize("stride", [[1, 1], [2, 3]])
@pytest.mark.parametrize("dilation", [[1, 1], [2, 1]])
@pytest.mark.parametrize(("padding", "groups"), [([0, 0], 1), ([1, 2], 2), ([2, 1], 4)])
def test_a_convolution_of_pytorch(stride: list[int], dilation: list[int], padding: list[int], groups: int) -> None:
    torch = pytest.importorskip("torch")
    kernel, bias = _DRAWN.normal(size=(8, 4 // groups, 3, 2)), _DRAWN.normal(size=8)
    settings = {"stride": stride, "dilation": dilation, "padding": padding, "groups": groups, "transposed": False}
    x, k, b = map(torch.tensor, (IMAGE, kernel, bias))
    same(
        convolution([IMAGE, kernel, bias], settings),
        torch.nn.functional.conv2d(x, k, b, tuple(stride), tuple(padding), tuple(dilation), groups),
    )
    assert convolution([IMAGE, kernel], {**settings, "transposed": True}) is None


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("stride", "dilation"), [([1, 1], [1, 1]), ([2, 2], [1, 1]), ([1, 1], [2, 2])])
def test_a_convolution_of_tensorflow(padding: str, stride: list[int], dilation: list[int]) -> None:
    kernel = _DRAWN.normal(size=(3, 2, 4, 5))
    found = convolution([CHANNELS_LAST, kernel], {"stride": stride, "dilation": dilation, "padding": padding})
    same(found, tf.nn.conv2d(CHANNELS_LAST, kernel, stride, padding, dilations=dilation))


def test_a_convolution_over_one_axis() -> None:
    x, kernel = _DRAWN.normal(size=(2, 7, 3)), _DRAWN.normal(size=(2, 3, 4))
    found = convolution([x, kernel], {"stride": [1], "padding": "VALID"})
    same(found, tf.nn.conv1d(x, kernel, 1, "VALID"))


def test_pools_of_both() -> None:
    torch = pytest.importorskip("torch")
    pooled = {"kernel_size": [3, 2], "stride": [2, 2], "padding": [1, 0], "dilation": [1, 1], "ceil_mode": False}
    x = torch.tensor(IMAGE)
    same(max_pool([IMAGE], pooled), torch.nn.functional.max_pool2d(x, (3, 2), 2, (1, 0)))
    same(average_pool([IMAGE], {**pooled, "padding": [0, 0]}), torch.nn.functional.avg_pool2d(x, (3, 2), 2))
    assert average_pool([IMAGE], pooled) is None
    of_tensorflow = {"ksize": [1, 3, 3, 1], "stride": [2, 2], "padding": "SAME"}
    same(max_pool([CHANNELS_LAST], of_tensorflow), tf.nn.max_pool2d(CHANNELS_LAST, 3, 2, "SAME"))


@pytest.mark.parametrize("training", [True, False])
def test_a_batch_normalization_of_both(training: bool) -> None:
    torch = pytest.importorskip("torch")
    scale, offset, mean = (_DRAWN.normal(size=4) for _ in range(3))
    variance = _DRAWN.uniform(0.5, 2, size=4)
    settings = {"training": training, "epsilon": 1e-3}
    found = batch_norm([IMAGE, scale, offset, mean, variance], settings)
    tensors = [torch.tensor(each) for each in (IMAGE, mean, variance, scale, offset)]
    same(found, torch.nn.functional.batch_norm(*tensors, training=training, eps=1e-3))
    last = batch_norm([CHANNELS_LAST, scale, offset, mean, variance], settings)
    same(np.moveaxis(last, -1, 1), found)  # type: ignore[arg-type]
    assert batch_norm([_DRAWN.normal(size=(2, 4, 4)), scale, offset, mean, variance], settings) is None
