"""`tdbg diff` of losses that are made of equal logits: labels, weights, smoothing, penalties; and of other indices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import FirstDifference
from tensordbg.analysis.diff.side import read_side
from tensordbg.trace.reader import open_trace

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(5)
X, Y = _DRAWN.normal(size=(8, 10)).astype("float32"), _DRAWN.integers(0, 3, 8)
KERNEL, HEAD = ((0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((10, 6), (6, 3)))
TABLE = _DRAWN.normal(size=(5, 4)).astype("float32")


def plain(logits: Any, labels: Any, _: Any) -> Any:
    return F.cross_entropy(logits, labels)


def in_torch(folder: Path, loss: Callable[[Any, Any, Any], Any] = plain) -> Path:
    w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, HEAD)]
    rule = torch.optim.SGD(w, 0.1)
    with tensordbg.record(folder):
        for _ in range(2):
            rule.zero_grad()
            logits = torch.relu(torch.tensor(X) @ w[0]) @ w[1]
            loss(logits, torch.tensor(Y), w).backward()
            rule.step()
    return folder


def in_keras(folder: Path) -> Path:
    import keras

    layers = [keras.layers.Dense(6, "relu", use_bias=False), keras.layers.Dense(3, use_bias=False)]
    model = keras.Sequential([keras.Input((10,)), *layers])
    model.set_weights([KERNEL, HEAD])
    model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tensordbg.record(folder):
        model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    return folder


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("losses")
    return {"torch": in_torch(folder / "torch"), "keras": in_keras(folder / "keras")}


def first(a: Path, b: Path) -> FirstDifference:
    found = tensordbg.diff(a, b).first
    assert found is not None
    return found


def shifted(logits: Any, labels: Any, _: Any) -> Any:
    return F.cross_entropy(logits, (labels + 1) % 3)


def weighted(logits: Any, labels: Any, _: Any) -> Any:
    return F.cross_entropy(logits, labels, weight=torch.tensor([1.0, 2.0, 0.5]))


def smoothed(logits: Any, labels: Any, _: Any) -> Any:
    return F.cross_entropy(logits, labels, label_smoothing=0.1)


def with_penalty(logits: Any, labels: Any, w: Any) -> Any:
    return F.cross_entropy(logits, labels) + 1e-3 * w[0].square().sum()


def of_probabilities(logits: Any, labels: Any, _: Any) -> Any:
    return F.cross_entropy(logits.softmax(-1), labels)


FIRST_LABELS = f"[0] is {Y[0]} in A and {(Y[0] + 1) % 3} in B, 8 of 8 differ"
CASES: list[tuple[Any, str, str]] = [
    (shifted, "input", f"the loss of B is given other whole numbers than that of A, such as labels: {FIRST_LABELS}"),
    (weighted, "value", "that of B is given [3] besides, as weights are"),
    (smoothed, "value", "made of equal values, with unlike labels: label smoothing is 0.0 in A and 0.1 in B"),
    (with_penalty, "missing", "gradients are taken in A of a value that both runs have, and in B of what aten::add"),
    (of_probabilities, "missing", "B computes aten::_softmax of values that both runs have"),
]


@pytest.mark.parametrize("reference", ["torch", "keras"])
@pytest.mark.parametrize(("loss", "kind", "said"), CASES)
def test_what_makes_a_loss_another(
    references: dict[str, Path], tmp_path: Path, reference: str, loss: Any, kind: str, said: str
) -> None:
    found = first(references[reference], in_torch(tmp_path / "b", loss))
    assert (found.kind, found.b.view.step if found.b else None) == (kind, 0)
    assert said in found.explanation


def test_two_frameworks_agree(references: dict[str, Path]) -> None:
    assert tensordbg.diff(references["keras"], references["torch"]).status == "same"


def test_rows_of_a_table_by_other_indices(tmp_path: Path) -> None:
    def looked_up(folder: Path, rows: list[int]) -> Path:
        table = torch.nn.Embedding.from_pretrained(torch.tensor(TABLE))
        with tensordbg.record(folder):
            (table(torch.tensor(rows)) @ torch.tensor(TABLE.T)).softmax(-1)
        return folder

    found = first(looked_up(tmp_path / "a", [0, 1, 3]), looked_up(tmp_path / "b", [1, 2, 4]))
    assert found.kind == "input"
    assert found.explanation == (
        "aten::embedding of B is given other whole numbers than aten::embedding of A, such as indices: "
        "[0] is 0 in A and 1 in B, 3 of 3 differ"
    )


def test_a_sum_in_place_of_a_mean_is_told_by_the_number(tmp_path: Path) -> None:
    def by_classes(folder: Path, *, summed: bool) -> Path:
        w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, HEAD)]
        wanted = F.one_hot(torch.tensor(Y), 3).float()
        with tensordbg.record(folder):
            logits = torch.relu(torch.tensor(X) @ w[0]) @ w[1]
            if summed:
                loss = F.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")
            else:
                loss = (F.softplus(logits) - wanted * logits).mean()
            loss.backward()
            torch.optim.SGD(w, 0.1).step()
        return folder

    found = first(by_classes(tmp_path / "a", summed=False), by_classes(tmp_path / "b", summed=True))
    assert "that of B is 24 times that of A: a sum over 24 values of which A takes the mean" in found.explanation


def test_a_loss_is_known_that_a_function_within_the_step_computes(tmp_path: Path) -> None:
    tf: Any = pytest.importorskip("tensorflow")
    kernel = tf.Variable(KERNEL @ HEAD)

    @tf.function
    def mean_of_squares(given: Any) -> Any:
        return tf.reduce_mean(given * given)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            value = mean_of_squares(x @ kernel)
        kernel.assign_sub(0.1 * tape.gradient(value, kernel))
        return value

    with tensordbg.record(tmp_path):
        for _ in range(2):
            step(X)
    side = read_side(open_trace(tmp_path))
    told = [(int(side.numbers.step[row]), side.site(row).op_type) for row in np.flatnonzero(side.losses)]
    assert [op_type for _, op_type in told] == ["Mean", "Mean"]
    assert len({number for number, _ in told}) == 2


@pytest.mark.filterwarnings("ignore")  # of what the compiler imports
@pytest.mark.parametrize("reduced", ["sum", "mean"])
def test_a_loss_of_which_nothing_but_rounding_is_left_says_nothing(tmp_path: Path, reduced: str) -> None:
    reference = cancelled_in_keras(tmp_path / "a", reduced)
    other, compiled = (cancelled(tmp_path / str(each), reduced, compiled=each) for each in (False, True))
    for a, b in ((reference, other), (reference, compiled), (other, compiled)):
        assert tensordbg.diff(a, b).status == "same"
    assert first(reference, cancelled(tmp_path / "wrong", reduced, scale=2.0)).kind != "parameter"
    (told,) = first(reference, cancelled(tmp_path / "epsilon", reduced, epsilon=0.1)).difference
    assert (told.attribute, told.a, told.b) == ("epsilon", 0.001, 0.1)


@pytest.mark.parametrize("reduced", ["sum", "mean"])
def test_rounding_that_a_normalization_of_small_values_makes_larger_says_nothing(tmp_path: Path, reduced: str) -> None:
    reference = cancelled_in_keras(tmp_path / "a", reduced, 0.02 * KERNEL)
    other = cancelled(tmp_path / "b", reduced, weights=0.02 * KERNEL)
    assert tensordbg.diff(reference, other).status == tensordbg.diff(other, reference).status == "same"


def cancelled(
    folder: Path, reduced: str, *, weights: Any = KERNEL, compiled: bool = False, epsilon: float = 1e-3,
    scale: float = 1.0,
) -> Path:  # fmt: skip
    """The trace of a loss that reduces what was normalized."""
    kernel, norm = torch.nn.Parameter(torch.tensor(weights)), torch.nn.LayerNorm(KERNEL.shape[1], eps=epsilon)

    def loss() -> Any:
        return scale * getattr(norm(torch.tensor(X) @ kernel), reduced)()

    with tensordbg.record(folder):
        (torch.compile(loss) if compiled else loss)().backward()
    return folder


def cancelled_in_keras(folder: Path, reduced: str, weights: Any = KERNEL) -> Path:
    tf: Any = pytest.importorskip("tensorflow")
    keras: Any = pytest.importorskip("keras")
    with tensordbg.record(folder):
        kernel, norm = tf.Variable(weights), keras.layers.LayerNormalization()
        norm.build((None, KERNEL.shape[1]))

        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = getattr(tf, f"reduce_{reduced}")(norm(tf.constant(X) @ kernel))
            return loss, tape.gradient(loss, [kernel, *norm.trainable_variables])

        step()
    return folder


@pytest.mark.filterwarnings("ignore")  # of what the compiler imports
@pytest.mark.parametrize("reduced", ["sum", "mean"])
def test_a_loss_that_mostly_cancels_out_in_a_kernel(tmp_path: Path, reduced: str) -> None:
    """What is left of it is large beside rounding and small beside what is summed up, and no function returns it."""
    runs = [weighed(tmp_path / str(each), reduced, compiled=each) for each in (False, True)]
    assert tensordbg.diff(*runs).status == tensordbg.diff(*reversed(runs)).status == "same"
    assert tensordbg.diff(runs[0], weighed(tmp_path / "c", reduced, compiled=True, scale=1.001)).status == "diverged"


def weighed(folder: Path, reduced: str, *, compiled: bool, scale: float = 1.0) -> Path:
    """The trace of gradients of a sum of what was normalized, with weights that are all near to 1."""
    gains = torch.tensor(1 + 0.02 * KERNEL[0])
    held = [torch.tensor(KERNEL).requires_grad_(), gains.clone().requires_grad_()]

    def gradients() -> Any:
        normalized = F.layer_norm(torch.tensor(X) @ held[0], gains.shape, held[1])
        return torch.autograd.grad(scale * getattr(normalized, reduced)(), held)

    with tensordbg.record(folder):
        (torch.compile(gradients) if compiled else gradients)()
    return folder


@pytest.mark.filterwarnings("ignore")  # of what the compiler imports
def test_gradients_of_another_loss_in_a_kernel_are_not_said_to_be_those_of_the_optimizer(tmp_path: Path) -> None:
    tf: Any = pytest.importorskip("tensorflow")
    keras: Any = pytest.importorskip("keras")
    wanted = 0.5 * _DRAWN.normal(size=(8, 6)).astype("float32")
    kernel, weight = tf.Variable(KERNEL), torch.nn.Parameter(torch.tensor(KERNEL))

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = keras.losses.Huber(delta=0.3)(tf.constant(wanted), tf.constant(X) @ kernel)
        kernel.assign_sub(0.1 * tape.gradient(loss, kernel))

    loss = torch.compile(lambda: F.huber_loss(torch.tensor(X) @ weight, torch.tensor(wanted)))
    optimizer = torch.optim.SGD([weight], 0.1)
    with tensordbg.record(tmp_path / "a"):
        step()
        step()
    with tensordbg.record(tmp_path / "b"):
        for _ in range(2):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
    found = first(tmp_path / "a", tmp_path / "b")
    assert (found.kind, found.b.view.step if found.b else None) == ("value", 0)
    assert "the gradients of step 0 are not the same, what MatMul gives in A and aten::mm in B" in found.explanation
