"""`tdbg diff` of trainings without objects for parameters, and of linear losses, whose steps resemble each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
Program = Callable[[], Any]
_DRAWN = np.random.default_rng(17)


def drawn(*shape: int) -> Any:
    return _DRAWN.normal(size=shape).astype("float32")


X, CLASSES = drawn(8, 6), _DRAWN.integers(0, 3, 8)
FIRST, BIAS, SECOND, GAIN = drawn(6, 8), np.zeros(8, "float32"), drawn(8, 3), 1 + 0.1 * drawn(8)
ALL = "first", "bias", "second"


def recorded(folder: Path, program: Program) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


def of_tensors(updated: Sequence[str] = ALL, rate: float = 0.1, decay: float = 0.0) -> Program:
    """Keeps tensors in a dict and changes them itself."""

    def program() -> None:
        kept = {"first": torch.tensor(FIRST), "bias": torch.tensor(BIAS), "second": torch.tensor(SECOND)}
        for each in kept.values():
            each.requires_grad_()
        x, classes = torch.tensor(X), torch.tensor(CLASSES)
        mean = kept["second"].detach().clone()
        for _ in range(3):
            hidden = torch.tanh(x @ kept["first"] + kept["bias"])
            F.cross_entropy(hidden @ kept["second"], classes).backward()
            with torch.no_grad():
                for name, each in kept.items():
                    if name in updated:
                        each.sub_(rate * (each.grad + decay * each))
                    each.grad = None
                mean.mul_(0.9).add_(kept["second"], alpha=0.1)

    return program


def of_variables(updated: Sequence[str] = ALL) -> Program:
    def program() -> None:
        kept = {"first": tf.Variable(FIRST), "bias": tf.Variable(BIAS), "second": tf.Variable(SECOND)}

        @tf.function(autograph=False)
        def step() -> Any:
            with tf.GradientTape() as tape:
                scores = tf.tanh(X @ kept["first"] + kept["bias"]) @ kept["second"]
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(CLASSES, scores))
            gradients = tape.gradient(loss, [kept[name] for name in updated])
            for name, gradient in zip(updated, gradients, strict=True):
                kept[name].assign_sub(0.1 * gradient)
            return loss

        for _ in range(3):
            step()

    return program


@pytest.mark.parametrize(("left", "shape"), [("bias", "[8]"), ("second", "[8, 3]")])
def test_a_tensor_that_a_loop_leaves_out_is_named(tmp_path: Path, left: str, shape: str) -> None:
    updated = [name for name in ALL if name != left]
    whole, part = recorded(tmp_path / "whole", of_tensors()), recorded(tmp_path / "part", of_tensors(updated))
    on, back = first(tensordbg.diff(whole, part)), first(tensordbg.diff(part, whole))
    assert (on.kind, told(on)) == ("update", [("updated parameters", 3, 2)])
    assert (back.kind, told(back)) == ("update", [("updated parameters", 2, 3)])
    assert f"in step 0 A updates the tensor {shape}" in on.explanation
    assert "and B does not" in on.explanation
    assert "test_diff_unnamed.py:" in on.explanation
    graph = recorded(tmp_path / "graph", of_variables())
    assert told(first(tensordbg.diff(graph, part))) == [("updated parameters", 3, 2)]


def test_a_bias_of_zeros_that_a_list_of_variables_lacks_is_named(tmp_path: Path) -> None:
    whole = recorded(tmp_path / "whole", of_variables())
    for left in ("bias", "second"):
        part = recorded(tmp_path / left, of_variables([name for name in ALL if name != left]))
        assert told(first(tensordbg.diff(whole, part))) == [("updated parameters", 3, 2)]
    tensors = recorded(tmp_path / "tensors", of_tensors())
    assert tensordbg.diff(whole, tensors).status == "same"


def test_another_rate_or_decay_of_tensors_leaves_none_out(tmp_path: Path) -> None:
    reference = recorded(tmp_path / "reference", of_tensors())
    assert tensordbg.diff(reference, recorded(tmp_path / "again", of_tensors())).status == "same"
    for name, program in (("rate", of_tensors(rate=0.2)), ("decay", of_tensors(decay=0.1))):
        found = first(tensordbg.diff(reference, recorded(tmp_path / name, program)))
        assert found.kind == "update"
        assert "updated parameters" not in [attribute for attribute, _, _ in told(found)], name


def linear(scale: float = 1.0, steps: int = 2) -> Program:
    """A loss whose gradients are the same in each step: the sum of what is normalized, by a gain."""

    def program() -> None:
        weights, gain = torch.nn.Parameter(torch.tensor(FIRST)), torch.nn.Parameter(torch.tensor(GAIN))
        optimizer = torch.optim.SGD([weights, gain], 0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            (scale * F.layer_norm(torch.tensor(X) @ weights, (8,), gain).mean()).backward()
            optimizer.step()

    return program


def linear_function(steps: int = 2) -> Program:
    def program() -> None:
        weights, gain = tf.Variable(FIRST), tf.Variable(GAIN)

        @tf.function(autograph=False)
        def step() -> None:
            with tf.GradientTape() as tape:
                hidden = X @ weights
                centred = hidden - tf.reduce_mean(hidden, -1, keepdims=True)
                spread = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
                loss = tf.reduce_mean(centred * tf.math.rsqrt(spread + 1e-5) * gain)
            gradients = tape.gradient(loss, [weights, gain])
            weights.assign_sub(0.1 * gradients[0])
            gain.assign_sub(0.1 * gradients[1])

        for _ in range(steps):
            step()

    return program


def of_gradients(scale: float = 1.0, *, made: Callable[[Any], Any] = lambda each: each) -> Program:
    """Takes gradients as a function, of which nothing tells that they are any."""

    x = torch.tensor(X)

    def loss(weights: Any, gain: Any) -> Any:
        return scale * F.layer_norm(x @ weights, (8,), gain).mean()

    def program() -> None:
        gradients = made(torch.func.grad(loss, argnums=(0, 1)))
        weights, gain = torch.tensor(FIRST), torch.tensor(GAIN)
        for _ in range(2):
            of_weights, of_gain = gradients(weights, gain)
            weights, gain = weights - 0.1 * of_weights, gain - 0.1 * of_gain

    return program


@pytest.mark.parametrize("steps", [2, 3])
def test_a_step_of_twice_the_size_is_not_two_steps(tmp_path: Path, steps: int) -> None:
    graph = recorded(tmp_path / "graph", linear_function(steps))
    assert tensordbg.diff(graph, recorded(tmp_path / "right", linear(steps=steps))).status == "same"
    # Between frameworks, of which each keeps and reads at times of its own, two steps are told apart and no more.
    between = [("graph", graph)] if steps == 2 else []
    for name, other in (*between, ("eager", recorded(tmp_path / "eager", linear(steps=steps)))):
        wrong = recorded(tmp_path / f"twice {name}", linear(2.0, steps))
        assert tensordbg.diff(other, wrong).status == "diverged", name


@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")  # of PyTorch's compiler, as it is imported
def test_a_training_that_nothing_tells_to_be_one(tmp_path: Path) -> None:
    reference = recorded(tmp_path / "reference", of_gradients())
    for name, other in (("graph", linear_function()), ("compiled", of_gradients(made=torch.compile))):
        assert tensordbg.diff(reference, recorded(tmp_path / name, other)).status == "same", name
    wrong = recorded(tmp_path / "wrong", of_gradients(2.0, made=torch.compile))
    assert tensordbg.diff(reference, wrong).status == "diverged"
