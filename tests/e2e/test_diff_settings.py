"""`tdbg diff` of operations whose settings differ, where one framework or formula says them in another way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import FirstDifference

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(5)
HEADS = [_DRAWN.normal(size=(2, 4, 6, 8)).astype("float32") for _ in range(3)]
IMAGES = _DRAWN.normal(size=(2, 8, 8, 3)).astype("float32")
KERNEL = _DRAWN.normal(size=(3, 3, 3, 4)).astype("float32")


def first(a: Path, b: Path) -> FirstDifference:
    result = tensordbg.diff(a, b)
    assert result.first is not None
    return result.first


def attended(folder: Path, scale: float | None = None) -> Path:
    with tensordbg.record(folder):
        query, key, value = map(torch.tensor, HEADS)
        if scale is None:
            F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            hidden = torch.full((6, 6), -float("inf")).triu(1)
            _ = (query @ key.transpose(-1, -2) * scale + hidden).softmax(-1) @ value
    return folder


def test_the_scale_of_an_attention_that_is_told_none(tmp_path: Path) -> None:
    a = attended(tmp_path / "a")
    assert tensordbg.diff(a, attended(tmp_path / "same", 8**-0.5)).status == "same"
    found = first(a, attended(tmp_path / "b", 1.0))
    ((name, mine, theirs),) = [(each.attribute, each.a, each.b) for each in found.difference]
    assert (name, mine, theirs) == ("scale", pytest.approx(8**-0.5), 1.0)


def rotated(folder: Path, halves: bool) -> Path:
    """Rotary positions, which go with the two halves of a head or with every second number."""
    with tensordbg.record(folder):
        x = torch.tensor(HEADS[0])
        one, other = (x[..., :4], x[..., 4:]) if halves else (x[..., ::2], x[..., 1::2])
        angles = torch.outer(torch.arange(6.0), torch.tensor([1.0, 0.1, 0.01, 0.001]))
        _ = one * angles.cos() - other * angles.sin()
    return folder


def test_parts_that_are_multiplied_by_something_smaller(tmp_path: Path) -> None:
    a = rotated(tmp_path / "a", halves=True)
    assert tensordbg.diff(a, rotated(tmp_path / "same", halves=True)).status == "same"
    assert "not the same part" in first(a, rotated(tmp_path / "b", halves=False)).explanation


def of_tensorflow(folder: Path, padding: Any = "SAME") -> Path:
    import tensorflow as tf

    with tensordbg.record(folder):
        tf.nn.leaky_relu(tf.nn.conv2d(tf.constant(IMAGES), tf.constant(KERNEL), 2, padding), 0.3)
    return folder


def of_torch(folder: Path, padding: int = 0, slope: float = 0.3) -> Path:
    with tensordbg.record(folder):
        x = torch.tensor(IMAGES).permute(0, 3, 1, 2)
        x = x if padding else F.pad(x, (0, 1, 0, 1))
        F.leaky_relu(F.conv2d(x, torch.tensor(KERNEL).permute(3, 2, 0, 1), stride=2, padding=padding), slope)
    return folder


def test_settings_of_eager_tensorflow_are_held_against_those_of_pytorch(tmp_path: Path) -> None:
    a = of_tensorflow(tmp_path / "a")
    assert tensordbg.diff(a, of_torch(tmp_path / "same")).status == "same"
    slope = first(a, of_torch(tmp_path / "slope", slope=0.01))
    assert [(each.attribute, each.a, each.b) for each in slope.difference] == [("slope", 0.3, 0.01)]
    padding = first(a, of_torch(tmp_path / "padding", padding=1))
    assert [(each.attribute, each.a, each.b) for each in padding.difference] == [
        ("padding", [[0, 1], [0, 1]], [[1, 1], [1, 1]])
    ]
    explicit = first(a, of_tensorflow(tmp_path / "explicit", [[0, 0], [1, 0], [1, 0], [0, 0]]))
    assert ("padding", "SAME", [[1, 0], [1, 0]]) in [(each.attribute, each.a, each.b) for each in explicit.difference]


def pooled(folder: Path, way: str, **settings: Any) -> Path:
    image = np.random.default_rng(4).normal(size=(2, 8, 8, 4)).astype("float32")
    with tensordbg.record(folder):
        if way == "keras":
            keras: Any = pytest.importorskip("keras")
            kind = "MaxPooling2D" if settings.pop("largest", False) else "AveragePooling2D"
            keras.ops.mean(keras.ops.square(getattr(keras.layers, kind)(**settings)(image)))
        else:
            pool = "max_pool2d" if settings.pop("largest", False) else "avg_pool2d"
            given = torch.tensor(image).permute(0, 3, 1, 2)
            getattr(torch.nn.functional, pool)(given, **settings).square().mean()
    return folder


POOLS: Any = [
    ({"pool_size": 3, "strides": 1, "padding": "same"}, {"kernel_size": 3, "stride": 1, "padding": 1},
     {"count_include_pad": False}, {}, ("count_include_pad", False, True)),
    ({"pool_size": 3, "strides": 2, "largest": True}, {"kernel_size": 3, "stride": 2, "largest": True},
     {}, {"ceil_mode": True}, ("ceil_mode", False, True)),
    ({"pool_size": 2}, {}, {"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
     ("kernel_size", [2, 2], [3, 3])),
    ({"pool_size": 2}, {"kernel_size": 2}, {}, {"stride": 1}, ("stride", [2, 2], [1, 1])),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "both", "right", "wrong", "named"), POOLS)
def test_settings_of_a_pooling_are_named_across_frameworks(
    tmp_path: Path, layer: Any, both: Any, right: Any, wrong: Any, named: Any
) -> None:
    reference = pooled(tmp_path / "a", "keras", **layer)
    assert tensordbg.diff(reference, pooled(tmp_path / "b", "torch", **both, **right)).status == "same"
    found = tensordbg.diff(reference, pooled(tmp_path / "c", "torch", **both, **wrong)).first
    assert found is not None
    told = {each.attribute: (each.a, each.b) for each in found.difference}
    assert told == {**told, named[0]: named[1:]}
    if len(wrong) < 2:
        assert list(told) == [named[0]]


def convolved(folder: Path, around: Any, padding: Any, mode: str = "constant") -> Path:
    """A convolution with stride 2, in front of which a program puts something around the image, or nothing."""
    with tensordbg.record(folder):
        x = torch.tensor(IMAGES).permute(0, 3, 1, 2)
        x = x if around is None else F.pad(x, around, mode=mode)
        x = F.conv2d(x, torch.tensor(KERNEL).permute(3, 2, 0, 1), stride=2, padding=padding)
        F.leaky_relu(x, 0.3)
    return folder


def told(found: FirstDifference) -> list[tuple[str, object, object]]:
    return [(each.attribute, each.a, each.b) for each in found.difference]


@pytest.mark.parametrize(("around", "padding", "theirs"), [
    ((1, 1, 1, 1), 0, [[1, 1], [1, 1]]), ((1, 0, 1, 0), 0, [[1, 0], [1, 0]]), ((0, 1, 1, 0), 0, [[1, 0], [0, 1]]),
])  # fmt: skip
def test_zeros_put_around_before_a_convolution_are_part_of_its_padding(
    tmp_path: Path, around: Any, padding: int, theirs: Any
) -> None:
    for reference in (of_tensorflow(tmp_path / "a"), convolved(tmp_path / "torch", (0, 1, 0, 1), 0)):
        same = convolved(tmp_path / f"same {reference.name}", (0, 1, 0, 1), 0)
        assert tensordbg.diff(reference, same).status == "same"
        found = first(reference, convolved(tmp_path / f"b {reference.name}", around, padding))
        assert told(found) == [("padding", [[0, 1], [0, 1]], theirs)]


def test_zeros_around_in_one_run_only_that_make_another_shape(tmp_path: Path) -> None:
    reference = convolved(tmp_path / "a", (1, 1, 1, 1), 0)
    assert tensordbg.diff(reference, convolved(tmp_path / "same", None, 1)).status == "same"
    found = first(reference, convolved(tmp_path / "b", None, 0))
    assert (found.kind, told(found)) == ("shape", [("padding", [[1, 1], [1, 1]], [[0, 0], [0, 0]])])


def test_what_is_mirrored_around_is_no_padding_with_zeros(tmp_path: Path) -> None:
    found = first(convolved(tmp_path / "a", None, 1), convolved(tmp_path / "b", (1, 1, 1, 1), 0, mode="reflect"))
    assert found.explanation.startswith("B computes aten::reflection_pad2d of values that both runs have")


def of_keras(folder: Path, padding: str) -> Path:
    keras: Any = pytest.importorskip("keras")
    keras.utils.set_random_seed(1)
    with tensordbg.record(folder):
        layer = keras.layers.Conv1D(4, 3, padding=padding, use_bias=False)
        layer.build((None, 8, 3))
        layer.set_weights([KERNEL[0]])
        keras.ops.relu(layer(IMAGES[0]))
    return folder


def along_one_axis(folder: Path, around: Any) -> Path:
    with tensordbg.record(folder):
        x = F.pad(torch.tensor(IMAGES[0]).permute(0, 2, 1), around)
        F.conv1d(x, torch.tensor(KERNEL[0]).permute(2, 1, 0)).relu()
    return folder


def test_the_padding_of_a_causal_convolution(tmp_path: Path) -> None:
    causal = of_keras(tmp_path / "a", "causal")
    assert tensordbg.diff(causal, along_one_axis(tmp_path / "same", (2, 0))).status == "same"
    found = first(causal, along_one_axis(tmp_path / "b", (1, 1)))
    assert told(found) == [("padding", [[2, 0]], [[1, 1]])]
    found = first(causal, of_keras(tmp_path / "keras", "same"))
    assert told(found) == [("padding", [[0, 0], [2, 0]], [[0, 0], [1, 1]])]


def logarithm(folder: Path, function: Any) -> Path:
    with tensordbg.record(folder):
        function(torch.tensor(KERNEL).softmax(-1)).square().mean()
    return folder


@pytest.mark.parametrize(("name", "base"), [("log2", 2), ("log10", 10)])
def test_the_base_of_a_logarithm(tmp_path: Path, name: str, base: int) -> None:
    import tensorflow as tf

    natural = logarithm(tmp_path / "a", torch.log)
    other = logarithm(tmp_path / "b", getattr(torch, name))
    assert told(first(natural, other)) == [("base", "e", base)]
    with tensordbg.record(tmp_path / "tf"):
        tf.reduce_mean(tf.square(tf.math.log(tf.nn.softmax(KERNEL))))
    assert tensordbg.diff(tmp_path / "tf", natural).status == "same"
    assert told(first(tmp_path / "tf", other)) == [("base", "e", base)]
