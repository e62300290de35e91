"""`tdbg diff` of attentions: one operation, written out by either framework, or inside a compiled kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import FirstDifference
from tests.differences import told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(5)
X = _DRAWN.normal(size=(2, 6, 16)).astype("float32")
QUERY, KEY, VALUE, OUT = ((0.3 * _DRAWN.normal(size=(16, 16))).astype("float32") for _ in range(4))
BIAS = _DRAWN.normal(size=(2, 6, 6)).astype("float32")
SCALE = 8**-0.5

Program = Callable[[], Any]


pytestmark = pytest.mark.filterwarnings("ignore")  # of what the compiler imports


def operation(**settings: Any) -> Any:
    q, k, v = ((torch.tensor(X) @ torch.tensor(each)).view(2, 6, 2, 8).transpose(1, 2) for each in (QUERY, KEY, VALUE))
    mixed = F.scaled_dot_product_attention(q, k, v, **settings)
    return (mixed.transpose(1, 2).reshape(2, 6, 16) @ torch.tensor(OUT)).relu().mean()


def scores(
    x: Any, diagonal: int | None = 0, scale: float = SCALE, biased: bool = False, axis: int = -1, turned: bool = False
) -> Any:
    q, k, v = ((x @ torch.tensor(each)).view(2, 6, 2, 8).transpose(1, 2) for each in (QUERY, KEY, VALUE))
    made = q @ k.transpose(-1, -2)
    made = made if scale == 1 else made * scale
    made = made + torch.tensor(BIAS) if biased else made
    if diagonal is not None:
        seen = torch.ones(6, 6).tril(diagonal).bool()
        made = made.masked_fill(~(seen.T if turned else seen), float("-inf"))
    mixed = made.softmax(axis) @ v
    return (mixed.transpose(1, 2).reshape(2, 6, 16) @ torch.tensor(OUT)).relu().mean()


def written(**settings: Any) -> Program:
    return lambda: scores(torch.tensor(X), **settings)


def compiled(**settings: Any) -> Program:
    return lambda: torch.compile(partial(scores, **settings))(torch.tensor(X))


def in_tensorflow(diagonal: int | None = 0, scale: float = SCALE, biased: bool = False) -> Program:
    import tensorflow as tf

    @tf.function
    def attention(x: Any) -> Any:
        q, k, v = (
            tf.transpose(tf.reshape(x @ each, (2, 6, 2, 8)), (0, 2, 1, 3)) for each in (QUERY, KEY, VALUE)
        )  # fmt: skip
        made = tf.matmul(q if scale == 1 else q * scale, k, transpose_b=True)
        made = made + BIAS if biased else made
        if diagonal is not None:
            made += -1e9 * (1 - tf.linalg.band_part(tf.ones((6, 6)), -1, diagonal))
        mixed = tf.transpose(tf.nn.softmax(made) @ v, (0, 2, 1, 3))
        return tf.reduce_mean(tf.nn.relu(tf.reshape(mixed, (2, 6, 16)) @ OUT))

    return lambda: attention(tf.constant(X))


def run(folder: Path, program: Program) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("causal") / "operation", lambda: operation(is_causal=True))


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("biased") / "tensorflow", in_tensorflow(biased=True))


def first(a: Path, b: Path) -> FirstDifference:
    result = tensordbg.diff(a, b)
    assert (result.status, result.first is not None) == ("diverged", True)
    assert result.first is not None
    return result.first


WAYS = {"written out": written, "in TensorFlow": in_tensorflow, "compiled": compiled}
PLANTED: dict[str, tuple[dict[str, Any], tuple[str, object, object]]] = {
    "no mask": ({"diagonal": None}, ("is_causal", True, False)),
    "a mask off by one": ({"diagonal": 1}, ("diagonal of the mask", 0, 1)),
    "no scale": ({"scale": 1.0}, ("scale", pytest.approx(SCALE), 1.0)),
    "a scale without a root": ({"scale": 1 / 8}, ("scale", pytest.approx(SCALE), 0.125)),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_attention_beside_one_operation(causal: Path, tmp_path: Path, way: str) -> None:
    """The operation says its scale and that it is causal; the zeros of a softmax say what a mask has hidden."""
    assert tensordbg.diff(causal, run(tmp_path / "twin", WAYS[way]())).status == "same"
    for number, (settings, expected) in enumerate(PLANTED.values()):
        if way == "compiled" and number % 2:
            continue  # each takes a compilation
        found = first(causal, run(tmp_path / str(number), WAYS[way](**settings)))
        assert told(found) == [expected]
        assert found.b is not None
        assert found.b.source is not None
        if way != "compiled":  # of which the compiler may have made one operation
            assert "softmax" in (found.b.source.text or "")


def test_what_an_operation_is_given_or_lacks(causal: Path, tmp_path: Path) -> None:
    plain = run(tmp_path / "plain", operation)
    assert told(first(plain, run(tmp_path / "masked", in_tensorflow()))) == [("is_causal", False, True)]
    assert told(first(plain, run(tmp_path / "other", written(diagonal=None, axis=-2)))) == [("axis", "keys", "queries")]
    kept = torch.arange(6).expand(2, 1, 6, 6) < 4
    given = run(tmp_path / "given", lambda: operation(attn_mask=kept))
    assert (
        "the attention of A is given a mask" in first(given, run(tmp_path / "none", written(diagonal=None))).explanation
    )
    turned = first(causal, run(tmp_path / "turned", written(turned=True)))
    assert "hides 15 of 36 scores of a head, and not the same ones" in turned.explanation


def test_two_that_are_written_out_with_unlike_masks(tmp_path: Path) -> None:
    """One hides by -inf and the other by a large number: what is infinite is not what differs."""
    a, b = run(tmp_path / "a", in_tensorflow()), run(tmp_path / "b", written(diagonal=1))
    assert told(first(a, b)) == [("diagonal of the mask", 0, 1)]
    assert told(first(b, a)) == [("diagonal of the mask", 1, 0)]


@pytest.mark.parametrize("way", [written, lambda: partial(operation, is_causal=True), compiled])
def test_a_bias_of_places_that_one_run_lacks(biased: Path, tmp_path: Path, way: Any) -> None:
    found = first(biased, run(tmp_path / "b", way()))
    assert f"A adds values from {BIAS.min():.4g} to {BIAS.max():.4g} to the scores" in found.explanation
    if way in (written, compiled):
        assert tensordbg.diff(biased, run(tmp_path / "twin", way(biased=True))).status == "same"


def test_queries_that_lie_in_one_value_with_keys(tmp_path: Path) -> None:
    def at_once(scale: float) -> Program:
        def program() -> None:
            every = torch.tensor(X) @ torch.tensor(np.concatenate([QUERY, KEY, VALUE], 1))
            q, k, v = (each.view(2, 6, 2, 8).transpose(1, 2) for each in every.chunk(3, -1))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
            (mixed.transpose(1, 2).reshape(2, 6, 16) @ torch.tensor(OUT)).relu().mean()

        return program

    reference = run(tmp_path / "a", in_tensorflow())
    assert tensordbg.diff(reference, run(tmp_path / "b", at_once(SCALE))).status == "same"
    found = first(reference, run(tmp_path / "c", at_once(1 / 8)))
    assert told(found) == [("scale", pytest.approx(SCALE), 0.125)]


def without_a_batch(way: str, scale: float = SCALE, axis: int = -1) -> Program:
    """An attention of one sequence, in which nothing has an axis for a batch."""
    import tensorflow as tf

    def program() -> None:
        q, k, v = X[0][:, :8], X[0][:, 8:], X[1][:, :8]
        if way == "tensorflow":
            tf.matmul(tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * scale), v), OUT[:8])
            return
        q, k, v = (torch.tensor(each) for each in (q, k, v))
        if way == "operation":
            mixed = F.scaled_dot_product_attention(q[None], k[None], v[None], scale=scale)[0]
        else:
            mixed = (q @ k.T * scale).softmax(axis) @ v
        mixed @ torch.tensor(OUT[:8])

    return program


@pytest.mark.parametrize("way", ["operation", "written"])
def test_one_without_a_batch_beside_eager_code_of_tensorflow(tmp_path: Path, way: str) -> None:
    """The scale of eager code is given to it as data are, and the axis of a softmax is the last of two or of three."""
    reference = run(tmp_path / "a", without_a_batch("tensorflow"))
    assert tensordbg.diff(reference, run(tmp_path / "b", without_a_batch(way))).status == "same"
    unscaled = run(tmp_path / "c", without_a_batch(way, 0.5))
    assert told(first(reference, unscaled)) == [("scale", pytest.approx(SCALE), 0.5)]
    assert told(first(unscaled, reference)) == [("scale", 0.5, pytest.approx(SCALE))]


def test_a_mask_that_one_without_a_batch_lacks_is_no_other_axis(tmp_path: Path) -> None:
    def masked() -> None:
        q, k, v = (torch.tensor(each) for each in (X[0][:, :8], X[0][:, 8:], X[1][:, :8]))
        seen = torch.ones(6, 6).tril().bool()
        (q @ k.T * SCALE).masked_fill(~seen, float("-inf")).softmax(-1) @ v @ torch.tensor(OUT[:8])

    found = first(run(tmp_path / "a", masked), run(tmp_path / "b", without_a_batch("operation")))
    assert not found.difference
    assert found.explanation.startswith("A computes aten::masked_fill of values that both runs have")
