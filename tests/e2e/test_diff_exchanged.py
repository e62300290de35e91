"""`tdbg diff` of two values that one run takes the other way round: operands, arguments of a divergence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tests.differences import first

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(8)
LOGITS = [_DRAWN.normal(size=(6, 5)).astype("float32") for _ in range(2)]
SQUARES = [_DRAWN.normal(size=(5, 5)).astype("float32") for _ in range(2)]


def of_two(folder: Path, function: Callable[[Any, Any], Any], exchanged: bool = False) -> Path:
    with tensordbg.record(folder):
        one, other = torch.tensor(SQUARES[0]).tanh(), torch.tensor(SQUARES[1]).sigmoid()
        function(*((other, one) if exchanged else (one, other))).relu().square().mean()
    return folder


OPERATIONS: Any = [torch.sub, torch.div, torch.matmul]


@pytest.mark.parametrize("function", OPERATIONS)
def test_operands_that_are_exchanged(tmp_path: Path, function: Any) -> None:
    reference = of_two(tmp_path / "a", function)
    assert tensordbg.diff(reference, of_two(tmp_path / "same", function)).status == "same"
    found = first(tensordbg.diff(reference, of_two(tmp_path / "b", function, exchanged=True)))
    assert "takes the two values that" in found.explanation
    assert found.explanation.endswith("and the other one first")


def test_an_operand_that_is_transposed_is_not_exchanged(tmp_path: Path) -> None:
    reference = of_two(tmp_path / "a", torch.matmul)
    found = first(tensordbg.diff(reference, of_two(tmp_path / "b", lambda one, other: one @ other.T)))
    assert "one of the inputs has its elements in another order" in found.explanation
    back = of_two(tmp_path / "same", lambda one, other: (other.T @ one.T).T)
    assert tensordbg.diff(reference, back).status == "same"


def of_logits(target: Any, given: Any) -> Any:
    return F.kl_div(F.log_softmax(given, -1), F.softmax(target, -1), reduction="batchmean")


def of_probabilities(target: Any, given: Any) -> Any:
    return F.kl_div(given.softmax(-1).log(), target.softmax(-1), reduction="batchmean")


def written_out(target: Any, given: Any) -> Any:
    one, other = target.softmax(-1), given.softmax(-1)
    return (one * (one.log() - other.log())).sum(-1).mean()


def of_keras(target: Any, given: Any) -> Any:
    keras: Any = pytest.importorskip("keras")
    import tensorflow as tf

    one, other = tf.nn.softmax(target.numpy()), tf.nn.softmax(given.numpy())
    return keras.ops.mean(keras.losses.KLDivergence(reduction=None)(one, other))


def diverging(folder: Path, loss: Callable[[Any, Any], Any], exchanged: bool = False) -> Path:
    with tensordbg.record(folder):
        one, other = map(torch.tensor, LOGITS[::-1] if exchanged else LOGITS)
        loss(one, other)
    return folder


@pytest.mark.parametrize("loss", [of_logits, of_probabilities, written_out])
@pytest.mark.parametrize("reference", [of_keras, of_probabilities])
def test_the_arguments_of_a_divergence_that_are_exchanged(tmp_path: Path, reference: Any, loss: Any) -> None:
    a = diverging(tmp_path / "a", reference)
    assert tensordbg.diff(a, diverging(tmp_path / "same", loss)).status == "same"
    found = first(tensordbg.diff(a, diverging(tmp_path / "b", loss, exchanged=True)))
    assert found.explanation.startswith("A weighs logarithms by what ")
    assert "the two arguments of a divergence or a cross-entropy are exchanged" in found.explanation


def test_a_divergence_of_logits_is_not_the_same_the_other_way_round(tmp_path: Path) -> None:
    a = diverging(tmp_path / "a", of_logits)
    assert tensordbg.diff(a, diverging(tmp_path / "same", of_logits)).status == "same"
    found = first(tensordbg.diff(a, diverging(tmp_path / "b", of_logits, exchanged=True)))
    assert "the two arguments of a divergence or a cross-entropy are exchanged" in found.explanation


def after_probabilities(target: Any, given: Any) -> Any:
    target.softmax(-1), given.softmax(-1)  # both runs have both, so no fork is given what one of the other is
    return of_logits(target, given)


def test_forks_that_are_given_nothing_in_common_are_no_agreement(tmp_path: Path) -> None:
    a = diverging(tmp_path / "a", after_probabilities)
    assert tensordbg.diff(a, diverging(tmp_path / "same", after_probabilities)).status == "same"
    assert tensordbg.diff(a, diverging(tmp_path / "b", after_probabilities, exchanged=True)).status == "diverged"
