"""`tdbg diff` of trainings all of whose values the other run has too: of a later step, or behind another operation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.differences import first

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(11)
X, WEIGHTS = _DRAWN.normal(size=(8, 5)).astype("float32"), _DRAWN.normal(size=(5, 3)).astype("float32")
LABELS = _DRAWN.integers(0, 3, 8)


def run(folder: Path, program: Callable[[], Any]) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


def classifier(of: Callable[[Any], Any]) -> Callable[[], None]:
    def program() -> None:
        weights = torch.nn.Parameter(torch.tensor(WEIGHTS))
        optimizer = torch.optim.SGD([weights], 0.1)
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(of(torch.tensor(X) @ weights), torch.tensor(LABELS)).backward()
            optimizer.step()

    return program


def classifier_in_tensorflow() -> None:
    """Has the probabilities besides, as for a metric; its loss takes the scores."""
    weights = tf.Variable(WEIGHTS)

    @tf.function(autograph=False)
    def step() -> Any:
        with tf.GradientTape() as tape:
            scores = X @ weights
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, scores))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss, tf.argmax(tf.nn.softmax(scores), -1)

    for _ in range(2):
        step()


def test_a_softmax_before_a_loss_that_takes_one_itself(tmp_path: Path) -> None:
    reference = run(tmp_path / "a", classifier_in_tensorflow)
    right = run(tmp_path / "right", classifier(lambda scores: scores))
    assert tensordbg.diff(reference, right).status == "same"
    wrong = run(tmp_path / "wrong", classifier(lambda scores: scores.softmax(-1)))
    for a, b, named in ((reference, wrong, "the loss of B"), (wrong, reference, "the loss of A")):
        found = first(tensordbg.diff(a, b))
        assert found.kind == "value"
        assert found.explanation.startswith(f"{named} is taken of what aten::_softmax (test_diff_apart.py:")


def linear(behind: int) -> Callable[[], None]:
    """A loss whose gradients are the same in each step, of the weights that it has behind some steps."""

    def program() -> None:
        weights = torch.nn.Parameter(torch.tensor(WEIGHTS - 0.1 * behind * X.mean(0)[:, None] / 3))
        optimizer = torch.optim.SGD([weights], 0.1)
        for _ in range(6):
            optimizer.zero_grad()
            (torch.tensor(X) @ weights).mean().backward()
            optimizer.step()

    return program


def linear_in_tensorflow() -> None:
    weights = tf.Variable(WEIGHTS)

    @tf.function(autograph=False)
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(X @ weights)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))

    for _ in range(6):
        step()


def test_a_training_that_begins_with_what_the_other_has_later(tmp_path: Path) -> None:
    reference = run(tmp_path / "a", linear_in_tensorflow)
    assert tensordbg.diff(reference, run(tmp_path / "right", linear(0))).status == "same"
    later = run(tmp_path / "later", linear(3))
    for a, b, said in ((reference, later, "B begins with what A has"), (later, reference, "A begins with what B has")):
        found = first(tensordbg.diff(a, b))
        assert (found.kind, found.a is not None and found.a.view.step) == ("parameter", 0)
        assert found.explanation == f"{said} of this parameter behind 3 steps, as of a checkpoint"
