"""`tdbg diff` of losses that frameworks reduce, weigh and broadcast otherwise, and that one writes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(18)
X = _DRAWN.normal(size=(8, 6)).astype("float32")
COLUMN, KERNEL = ((0.8 * _DRAWN.normal(size=(6, count))).astype("float32") for count in (1, 4))
WANTED, TRUE = _DRAWN.normal(size=8).astype("float32"), (_DRAWN.random(8) > 0.5).astype("float32")
SHARES = np.exp(_DRAWN.normal(size=(8, 4))).astype("float32")
SHARES /= SHARES.sum(-1, keepdims=True)
CLASSES = _DRAWN.integers(0, 4, 8)


def in_tensorflow(folder: Path, weights: Any, loss: Callable[[Any, Any, Any], Any], steps: int = 2) -> Path:
    """The trace of a training with a loss that is given the outputs, TensorFlow and Keras; eager code without steps."""
    tf: Any = pytest.importorskip("tensorflow")
    keras: Any = pytest.importorskip("keras")
    with tensordbg.record(folder):
        kernel = tf.Variable(weights)

        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(x @ kernel, tf, keras)
            kernel.assign_sub(0.1 * tape.gradient(value, kernel))
            return value

        for _ in range(steps):
            step(tf.constant(X))
        if not steps:
            loss(tf.constant(X) @ weights, tf, keras)
    return folder


def in_torch(folder: Path, weights: Any, loss: Callable[[Any], Any], steps: int = 2) -> Path:
    kernel = torch.nn.Parameter(torch.tensor(weights))
    optimizer = torch.optim.SGD([kernel], 0.1)
    with tensordbg.record(folder):
        for _ in range(steps):
            optimizer.zero_grad()
            loss(torch.tensor(X) @ kernel).backward()
            optimizer.step()
        if not steps:
            loss(torch.tensor(X) @ torch.tensor(weights))
    return folder


def y(*shape: int) -> Any:
    return torch.tensor(WANTED).reshape(shape or 8)


SQUARES = {
    "one operation": lambda o: F.mse_loss(o, y()),
    "written out": lambda o: (o - y()).square().mean(),
    "magnitudes": lambda o: F.l1_loss(o, y()),
}


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("form", SQUARES)
def test_a_loss_that_one_run_broadcasts(tmp_path: Path, form: str) -> None:
    right = {"magnitudes": lambda o: F.l1_loss(o, y(8, 1))}.get(form, lambda o: F.mse_loss(o, y(8, 1)))
    reference = in_torch(tmp_path / "a", COLUMN, right)
    power = 1 if form == "magnitudes" else 2
    port = in_tensorflow(
        tmp_path / "b", COLUMN, lambda o, tf, keras: tf.reduce_mean(abs(tf.squeeze(o, -1) - WANTED) ** power)
    )
    assert tensordbg.diff(reference, port).status == "same"
    wrong = in_torch(tmp_path / "c", COLUMN, SQUARES[form])
    for other in (reference, port):
        found = first(tensordbg.diff(other, wrong))
        assert "only B broadcasts" in found.explanation
        assert "[8, 1] with [8]" in found.explanation
        assert found.suggestion.startswith("give both the same shape in B")
    assert "only A broadcasts" in first(tensordbg.diff(wrong, port)).explanation


def test_each_with_each_in_both_runs_is_no_mistake(tmp_path: Path) -> None:
    """A contrast of all with all is meant so; another target is told by that."""
    all_with_all = [
        in_torch(tmp_path / str(by), COLUMN, lambda o, by=by: (o - y() * by).square().mean()) for by in (1.0, 2.0)
    ]
    port = in_tensorflow(tmp_path / "b", COLUMN, lambda o, tf, keras: tf.reduce_mean((o - WANTED) ** 2))
    assert tensordbg.diff(all_with_all[0], port).status == "same"
    assert "broadcast" not in first(tensordbg.diff(*all_with_all)).explanation


@pytest.mark.parametrize("steps", [0, 2])
def test_the_delta_of_a_huber_loss(tmp_path: Path, steps: int) -> None:
    """Keras writes it out, PyTorch has an operation."""
    of_torch, of_keras = (
        [of(tmp_path / f"{name} {by}", by) for by in (0.5, 1.0)]
        for name, of in (
            ("torch", lambda at, by: in_torch(at, COLUMN, lambda o: F.huber_loss(o[:, 0], y(), delta=by), steps)),
            ("keras", lambda at, by: in_tensorflow(
                at, COLUMN, lambda o, tf, keras: keras.losses.Huber(delta=by)(WANTED, o[:, 0]), steps)),
        )
    )  # fmt: skip
    for a in (of_torch, of_keras):
        for b in (of_torch, of_keras):
            assert tensordbg.diff(a[0], b[0]).status == "same"
            assert told(first(tensordbg.diff(a[0], b[1]))) == [("delta", 0.5, 1.0)]
            assert told(first(tensordbg.diff(a[1], b[0]))) == [("delta", 1.0, 0.5)]


def test_weights_of_a_binary_cross_entropy(tmp_path: Path) -> None:
    def run(name: str, **weights: float) -> Path:
        given = {key: torch.tensor(value) for key, value in weights.items()}
        labels = torch.tensor(TRUE)[:, None]
        return in_torch(tmp_path / name, COLUMN, lambda o: F.binary_cross_entropy_with_logits(o, labels, **given))

    reference, plain = run("a", pos_weight=3.0), run("b")
    assert told(first(tensordbg.diff(reference, plain))) == [("pos_weight", 3.0, 1.0)]
    assert told(first(tensordbg.diff(reference, run("c", pos_weight=2.0)))) == [("pos_weight", 3.0, 2.0)]
    weighed = first(tensordbg.diff(run("d", weight=2.5), plain))
    assert told(weighed) == [("weight", 2.5, 1.0)]
    port = in_tensorflow(
        tmp_path / "e",
        COLUMN,
        lambda o, tf, keras: tf.reduce_mean(tf.nn.weighted_cross_entropy_with_logits(TRUE[:, None], o, 3.0)),
    )
    assert tensordbg.diff(port, reference).status == "same"
    found = first(tensordbg.diff(port, plain))
    assert (found.kind, told(found)) == ("value", [])
    assert found.explanation.endswith(
        "A writes out what B has as aten::binary_cross_entropy_with_logits, with the numbers 2.0"
    )


@pytest.mark.filterwarnings("ignore:reduction")
def test_a_divergence_by_its_mean(tmp_path: Path) -> None:
    """`mean` of PyTorch's divides by the classes too, which `batchmean` does not, nor Keras."""

    def run(name: str, reduced: str, steps: int = 2) -> Path:
        return in_torch(
            tmp_path / name,
            KERNEL,
            lambda o: F.kl_div(F.log_softmax(o, -1), torch.tensor(SHARES), reduction=reduced),
            steps,
        )

    reference = in_tensorflow(
        tmp_path / "a", KERNEL, lambda o, tf, keras: keras.losses.KLDivergence()(SHARES, tf.nn.softmax(o))
    )
    right, wrong = run("b", "batchmean"), run("c", "mean")
    assert tensordbg.diff(reference, right).status == "same"
    evaluated = tensordbg.diff(run("d", "batchmean", 0), run("e", "mean", 0))
    for result in (tensordbg.diff(reference, wrong), tensordbg.diff(right, wrong), evaluated):
        assert "that of A is 4 times that of B: a sum over 4 values of which B takes the mean" in (
            first(result).explanation
        )


def test_a_factor_that_is_no_size_is_not_said_to_be_one(tmp_path: Path) -> None:
    huber, smooth = (
        in_torch(tmp_path / name, COLUMN, loss)
        for name, loss in (
            ("a", lambda o: F.huber_loss(o[:, 0], y(), delta=0.5)),
            ("b", lambda o: F.smooth_l1_loss(o[:, 0], y(), beta=0.5)),
        )
    )
    found = first(tensordbg.diff(huber, smooth))
    assert found.explanation.endswith("that of B is 2 times that of A")


def test_a_label_that_one_loss_leaves_out(tmp_path: Path) -> None:
    label = int(CLASSES[0])
    reference, port = (
        in_torch(
            tmp_path / name,
            KERNEL,
            lambda o, left=left: F.cross_entropy(o, torch.tensor(CLASSES), ignore_index=left),
        )
        for name, left in (("a", -100), ("b", label))
    )
    of_keras = in_tensorflow(
        tmp_path / "c",
        KERNEL,
        lambda o, tf, keras: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(CLASSES, o)),
    )
    assert tensordbg.diff(reference, of_keras).status == "same"
    assert told(first(tensordbg.diff(reference, port))) == [("ignore_index", -100, label)]
    assert f"that of B leaves out the label {label}" in first(tensordbg.diff(of_keras, port)).explanation
