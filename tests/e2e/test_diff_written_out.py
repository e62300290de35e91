"""`tdbg diff` where one framework has an operation and the other writes it out, and where elements lie otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison, FirstDifference

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(7)
KERNEL, SQUARE, SCORES, HEAD = (
    (0.5 * _DRAWN.normal(size=size)).astype("float32") for size in ((6, 8), (8, 8), (8, 8), (8, 3))
)
X, BIAS = _DRAWN.normal(size=(5, 6)).astype("float32"), _DRAWN.normal(size=8).astype("float32")
SEQUENCE = [(0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((5, 3, 6), (6, 32), (8, 32), 32)]
KEPT = np.arange(8) % 3 > 0


def in_tensorflow(folder: Path, approximate: bool = True) -> Path:
    import tensorflow as tf

    @tf.function
    def forward(x: Any) -> Any:
        h = tf.nn.gelu(x @ KERNEL + BIAS, approximate=approximate)
        mean, variance = tf.nn.moments(h, -1, keepdims=True)
        h = (h - mean) * tf.math.rsqrt(variance + 1e-5) @ SQUARE
        h = tf.nn.softmax(tf.nn.relu(h) @ SCORES + tf.where(KEPT, 0.0, -1e9))
        return h @ HEAD

    with tensordbg.record(folder):
        forward(tf.constant(X))
    return folder


def in_torch(folder: Path, change: str = "", approximate: str = "tanh") -> Path:
    kernel, bias, square, scores, head = map(torch.tensor, (KERNEL, BIAS, SQUARE, SCORES, HEAD))
    kept = torch.tensor(KEPT)
    with tensordbg.record(folder):
        h = torch.tensor(X) @ kernel
        h = h if change == "bias" else h + bias
        h = F.gelu(h, approximate=approximate)
        h = h if change == "norm" else F.layer_norm(h.relu() if change == "early" else h, (8,))
        h = (h @ (square.T if change == "transposed" else square)).relu() @ scores
        h = h.masked_fill(kept if change == "mask" else ~kept, -1e9)
        _ = h.softmax(0 if change == "axis" else -1) @ head
    return folder


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return in_tensorflow(tmp_path_factory.mktemp("written") / "tanh")


def first(result: Comparison) -> FirstDifference:
    assert result.first is not None
    return result.first


def settings(found: FirstDifference) -> list[tuple[str, object, object]]:
    return [(each.attribute, each.a, each.b) for each in found.difference]


def test_a_right_port_is_the_same(tmp_path: Path, reference: Path) -> None:
    assert tensordbg.diff(reference, in_torch(tmp_path / "b")).status == "same"


def test_the_approximation_of_a_gelu_is_named(tmp_path: Path, reference: Path) -> None:
    exact = in_torch(tmp_path / "b", approximate="none")
    found = first(tensordbg.diff(reference, exact))
    assert settings(found) == [("approximate", "tanh", "none")]
    assert found.suggestion == "set approximate to tanh in B"
    written_by_error = in_tensorflow(tmp_path / "a", approximate=False)
    assert tensordbg.diff(written_by_error, exact).status == "same"
    found = first(tensordbg.diff(written_by_error, in_torch(tmp_path / "c")))
    assert settings(found) == [("approximate", "none", "tanh")]


MISSING = {
    "bias": ("A", "AddV2", "a GELU"),
    "early": ("B", "aten::relu", "aten::native_layer_norm"),
    "norm": ("A", "SquaredDifference", "MatMul"),
}
"""By what the port does: the run that computes more, an operation of that, and what it comes before."""


@pytest.mark.parametrize("change", MISSING)
def test_what_is_missing_beside_a_formula_is_named(tmp_path: Path, reference: Path, change: str) -> None:
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", change)))
    run, op_type, before = MISSING[change]
    assert found.kind == "missing"
    assert found.explanation.startswith(f"{run} computes ")
    assert op_type in {each.view.op_type for each in found.only}
    assert f"before {before};" in found.explanation


def test_a_softmax_along_another_axis_is_named(tmp_path: Path, reference: Path) -> None:
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", "axis")))
    assert settings(found) == [("axis", 1, 0)]


def test_another_mask_is_told(tmp_path: Path, reference: Path) -> None:
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", "mask")))
    assert found.explanation.endswith("fill in unlike elements of equal values: another mask")


def test_a_square_weight_that_is_not_transposed_is_told(tmp_path: Path, reference: Path) -> None:
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", "transposed")))
    assert found.explanation.endswith("one of the inputs has its elements in another order")


def in_pieces(folder: Path) -> Path:
    import tensorflow as tf

    @tf.function
    def forward(x: Any) -> Any:
        return tf.stack([tf.cos(row[None] @ (20 * KERNEL)) for row in tf.unstack(tf.tanh(x))])

    with tensordbg.record(folder):
        forward(tf.constant(X))
    return folder


def at_once(folder: Path, of: Callable[[Any], Any]) -> Path:
    with tensordbg.record(folder):
        of(torch.tensor(X).tanh() @ torch.tensor(20 * KERNEL))
    return folder


def test_results_that_differ_are_never_the_same(tmp_path: Path) -> None:
    pieces = in_pieces(tmp_path / "a")
    assert tensordbg.diff(pieces, at_once(tmp_path / "b", torch.cos)).status == "same"
    result = tensordbg.diff(pieces, at_once(tmp_path / "c", lambda x: torch.exp(x / 9)))
    assert result.status == "diverged"
    assert "their results differ" in first(result).explanation


def of_batches(folder: Path, scale: float) -> Path:
    import tensorflow as tf

    @tf.function
    def forward(x: Any) -> Any:
        return x @ KERNEL

    with tensordbg.record(folder):
        for batch in tf.data.Dataset.from_tensor_slices(scale * X).batch(5):
            forward(batch)
    return folder


def test_the_batch_of_a_data_set_is_an_input_and_no_random_number(tmp_path: Path) -> None:
    a, b = (partial(of_batches, scale=scale) for scale in (1.0, 0.5))
    assert first(tensordbg.diff(a(tmp_path / "a"), b(tmp_path / "b"))).kind == "input"


def sequence_in_keras(folder: Path) -> Path:
    import keras
    import tensorflow as tf

    layer, head = keras.layers.LSTM(8), tf.Variable(HEAD)
    layer.build((5, 3, 6))
    layer.set_weights(SEQUENCE[1:])
    with tensordbg.record(folder):
        tf.function(lambda x: tf.reduce_mean(tf.square(layer(x) @ head)))(tf.constant(SEQUENCE[0]))
    return folder


def sequence_in_torch(folder: Path, change: str = "") -> Path:
    layer = torch.nn.LSTM(6, 8, batch_first=True)
    x, kernel, recurrent, bias = map(torch.tensor, SEQUENCE)
    head = torch.nn.Parameter(torch.tensor(HEAD))
    gates = kernel.T.reshape(4, 8, 6)
    with torch.no_grad():
        layer.weight_ih_l0.copy_((gates[[0, 2, 1, 3]] if change == "gates" else gates).reshape(32, 6))
        layer.weight_hh_l0.copy_(recurrent.T)
        layer.bias_ih_l0.copy_(bias)
        layer.bias_hh_l0.fill_(0.1 if change == "bias" else 0.0)
    with tensordbg.record(folder), torch.no_grad():
        outputs, _ = layer(x)
        _ = (outputs[:, 0 if change == "first" else -1] @ head).square().mean()
    return folder


@pytest.fixture(scope="module")
def sequence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sequence_in_keras(tmp_path_factory.mktemp("sequence") / "keras")


@pytest.mark.parametrize(("change", "said"), [("gates", "in common|only one"), ("bias", "in common|only one"),
                                              ("first", "multiply by the same values")])  # fmt: skip
def test_a_sequence_in_one_operation_whose_only_result_is_a_number(
    sequence: Path, tmp_path: Path, change: str, said: str
) -> None:
    found = tensordbg.diff(sequence, sequence_in_torch(tmp_path / "b", change))
    assert found.status == "diverged"
    assert found.first is not None
    assert re.search(said, found.first.explanation)


def test_the_same_sequence(sequence: Path, tmp_path: Path) -> None:
    assert tensordbg.diff(sequence, sequence_in_torch(tmp_path / "b")).status == "same"


def test_a_sum_that_cancels_out_is_the_same_in_another_order(tmp_path: Path) -> None:
    def summed(folder: Path, order: int) -> Path:
        values = torch.tensor(np.random.default_rng(3).normal(size=(40, 50)).astype("float32"))
        values[0, 0] -= values.sum(dtype=torch.float64) - 1
        with tensordbg.record(folder):
            made = torch.tanh(values) * 0 + values  # so that something is computed of them
            _ = made.flip(0).sum() * 3.0 if order else made.sum() * 3.0
        return folder

    result = tensordbg.diff(summed(tmp_path / "a", 0), summed(tmp_path / "b", 1))
    assert result.status == "same", result.first


def test_a_sequence_in_pieces_beside_a_layer_with_nothing_else_in_common(tmp_path: Path) -> None:
    import tensorflow as tf

    x, *weights = SEQUENCE
    kernel, recurrent, bias, head = map(tf.constant, (*weights, HEAD))

    @tf.function
    def outputs(x: Any) -> Any:
        h = c = tf.zeros((5, 8))
        for place in tf.range(3):
            kept, forgotten, new, put = tf.split(x[:, place] @ kernel + h @ recurrent + bias, 4, -1)
            c = tf.sigmoid(forgotten) * c + tf.sigmoid(kept) * tf.tanh(new)
            h = tf.sigmoid(put) * tf.tanh(c)
        return h @ head

    with tensordbg.record(tmp_path / "a"):
        outputs(tf.constant(x))
    assert tensordbg.diff(tmp_path / "a", of_layer(tmp_path / "twin")).status == "same"
    found = tensordbg.diff(tmp_path / "a", of_layer(tmp_path / "b", "gates"))
    assert found.status == "diverged"
    assert found.first is not None
    assert found.first.b is not None
    assert found.first.a is not None
    assert (found.first.a.view.op_type, found.first.b.view.op_type) == ("MatMul", "aten::mkldnn_rnn_layer")


def of_layer(folder: Path, change: str = "") -> Path:
    x, kernel, recurrent, bias = map(torch.tensor, SEQUENCE)
    head, layer = torch.tensor(HEAD), torch.nn.LSTM(6, 8, batch_first=True)
    gates = kernel.T.reshape(4, 8, 6)
    with torch.no_grad():
        layer.weight_ih_l0.copy_((gates[[0, 2, 1, 3]] if change == "gates" else gates).reshape(32, 6))
        layer.weight_hh_l0.copy_(recurrent.T)
        layer.bias_ih_l0.copy_(bias)
        layer.bias_hh_l0.zero_()
    with tensordbg.record(folder), torch.no_grad():
        _ = layer(x)[0][:, -1] @ head
    return folder


def test_a_gate_before_or_behind_a_product_is_told(tmp_path: Path) -> None:
    def gated(folder: Path, behind: bool) -> Path:
        kernel, square, scores = map(torch.tensor, (KERNEL, SQUARE, SCORES))
        with tensordbg.record(folder):
            h = torch.tanh(torch.tensor(X) @ kernel)
            gate = torch.sigmoid(h @ scores)
            _ = torch.tanh(gate * (h @ square) if behind else (gate * h) @ square) @ scores
        return folder

    found = first(tensordbg.diff(gated(tmp_path / "a", False), gated(tmp_path / "b", True)))
    assert [(each.attribute, each.a, each.b) for each in found.difference] == [
        ("place of the gate", "before the product", "behind the product")
    ]
    turned = first(tensordbg.diff(tmp_path / "b", tmp_path / "a"))
    assert [each.a for each in turned.difference] == ["behind the product"]


def test_halves_that_one_run_takes_as_views_are_told_as_another_part(tmp_path: Path) -> None:
    import tensorflow as tf

    @tf.function
    def interleaved(x: Any) -> Any:
        h = tf.tanh(x @ KERNEL)
        return (h[:, 0::2] * BIAS[:4] - h[:, 1::2] * BIAS[4:]) @ HEAD[:4]

    def halves(folder: Path) -> Path:
        kernel, bias, head = map(torch.tensor, (KERNEL, BIAS, HEAD))
        with tensordbg.record(folder):
            h = torch.tanh(torch.tensor(X) @ kernel)
            _ = (h[:, :4] * bias[:4] - h[:, 4:] * bias[4:]) @ head[:4]
        return folder

    with tensordbg.record(tmp_path / "a"):
        interleaved(tf.constant(X))
    found = first(tensordbg.diff(tmp_path / "a", halves(tmp_path / "b")))
    assert "each take a part of a value that both runs have, and not the same part" in found.explanation
