"""`tdbg diff` of a run that goes on from what the other ends with: never the same where the results are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.differences import first

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
Program = Callable[[], Any]
_DRAWN = np.random.default_rng(18)


def drawn(*shape: int) -> Any:
    return _DRAWN.normal(size=shape).astype("float32")


X, FIRST, BIAS, SECOND, CLASSES = drawn(6, 8), drawn(8, 12), drawn(12), drawn(12, 5), _DRAWN.integers(0, 5, 6)
BATCHES = [(drawn(6, 8), _DRAWN.integers(0, 5, 6)) for _ in range(3)]


def of_torch(x: Any = X) -> Any:
    first, bias, second = (torch.tensor(each) for each in (FIRST, BIAS, SECOND))
    return torch.relu(torch.tensor(x) @ first + bias) @ second


def of_tensorflow(x: Any = X) -> Any:
    return tf.nn.relu(x @ FIRST + BIAS) @ SECOND


def ended(model: Program, end: Callable[[Any], Any]) -> Program:
    return lambda: end(model())


def in_a_function(end: Callable[[Any], Any]) -> Program:
    def program() -> None:
        def computed(x: Any) -> Any:
            return end(of_tensorflow(x))

        tf.function(computed, autograph=False)(tf.constant(X))

    return program


def compiled(end: Callable[[Any], Any]) -> Program:
    def program() -> None:
        given = [torch.tensor(each) for each in (X, FIRST, BIAS, SECOND)]
        torch.compile(lambda x, w, b, v: end(torch.relu(x @ w + b) @ v))(*given)

    return program


def unchanged(value: Any) -> Any:
    return value


ENDS_OF_TORCH: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda h: h * 0.5, "shifted": lambda h: h + 1, "softmax": lambda h: h.softmax(-1),
    "sum": lambda h: h.sum(), "mean": lambda h: h.mean(), "masked": lambda h: h * (h > 0),
    "root": lambda h: h.abs().sqrt(),
    "part": lambda h: h[:-1].clone(), "bfloat16": lambda h: h.bfloat16(), "whole numbers": lambda h: h.int(),
    "places": lambda h: h.argmax(-1), "signs": lambda h: h > 0, "twice": lambda h: torch.cat([h, h]),
    "loss": lambda h: F.cross_entropy(h, torch.tensor(CLASSES)),
}  # fmt: skip
ENDS_OF_TENSORFLOW: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda h: h * 0.5, "softmax": tf.nn.softmax, "sum": tf.reduce_sum, "mean": tf.reduce_mean,
    "part": lambda h: h[:-1], "bfloat16": lambda h: tf.cast(h, "bfloat16"), "places": lambda h: tf.argmax(h, -1),
    "looked up": lambda h: tf.gather(h, [0, 2]), "whole numbers": lambda h: tf.cast(h, "int32"),
}  # fmt: skip
HARMLESS: dict[str, Callable[[Any], Any]] = {
    "times 1": lambda h: h * 1.0, "copied": lambda h: h.clone(), "turned": lambda h: h.T.contiguous(),
    "float64": lambda h: h.double(), "positive": lambda h: torch.nan_to_num(h),
}  # fmt: skip
HARMLESS_OF_TENSORFLOW: dict[str, Callable[[Any], Any]] = {
    "times 1": lambda h: h * 1.0, "copied": tf.identity, "turned": tf.transpose,
    "float64": lambda h: tf.cast(h, "float64"),
}  # fmt: skip
WAYS: dict[str, tuple[Program, Callable[[Callable[[Any], Any]], Program], Any, Any]] = {
    "torch": (ended(of_torch, unchanged), lambda end: ended(of_torch, end), ENDS_OF_TORCH, HARMLESS),
    "port": (ended(of_tensorflow, unchanged), lambda end: ended(of_torch, end), ENDS_OF_TORCH, HARMLESS),
    "tensorflow": (
        ended(of_tensorflow, unchanged), lambda end: ended(of_tensorflow, end), ENDS_OF_TENSORFLOW,
        HARMLESS_OF_TENSORFLOW,
    ),
    "function": (in_a_function(unchanged), in_a_function, ENDS_OF_TENSORFLOW, HARMLESS_OF_TENSORFLOW),
    "compiled": (
        ended(of_torch, unchanged), compiled, {name: ENDS_OF_TORCH[name] for name in ("scaled", "mean", "places")},
        {name: HARMLESS[name] for name in ("times 1", "float64")},
    ),
}  # fmt: skip


def recorded(folder: Path, program: Program) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


def both_ways(folder: Path, reference: Path, program: Program) -> Iterator[tensordbg.Comparison]:
    other = recorded(folder, program)
    yield tensordbg.diff(reference, other)
    yield tensordbg.diff(other, reference)


@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")  # of PyTorch's compiler, as it is imported
@pytest.mark.parametrize("way", WAYS)
def test_one_more_operation_at_the_end(tmp_path: Path, way: str) -> None:
    """Whichever run goes on is named; what leaves the numbers as they are is no difference."""
    plain, made, differ, harmless = WAYS[way]
    reference = recorded(tmp_path / "plain", plain)
    for name, end in differ.items():
        on, back = (first(each) for each in both_ways(tmp_path / name, reference, made(end)))
        assert (on.kind, back.kind) == ("missing", "missing"), name
        assert on.explanation.startswith("the result of A is one that B goes on from"), (name, on.explanation)
        assert back.explanation.startswith("the result of B is one that A goes on from"), (name, back.explanation)
    for name, end in harmless.items():
        results = both_ways(tmp_path / name, reference, made(end))
        assert [each.status for each in results] == ["same", "same"], name


def test_a_sum_on_the_way_to_a_mean(tmp_path: Path) -> None:
    """The loss of Keras is divided by its weights: the sum before that is what the other run ends with."""

    def of_keras() -> None:
        keras.losses.SparseCategoricalCrossentropy(from_logits=True)(CLASSES, of_tensorflow())

    def port(reduction: str) -> Program:
        return lambda: F.cross_entropy(of_torch(), torch.tensor(CLASSES), reduction=reduction)

    a = recorded(tmp_path / "a", of_keras)
    assert tensordbg.diff(a, recorded(tmp_path / "mean", port("mean"))).status == "same"
    found = first(tensordbg.diff(a, recorded(tmp_path / "sum", port("sum"))))
    assert found.explanation.endswith(f"it comes to {1 / 6:.5g} times that")
    assert found.a is not None
    assert found.b is not None
    assert found.b.source is not None
    assert "reduction=reduction" in found.b.source.text
    assert [each.view.tensor for each in found.only] == [found.a.view.tensor]


def test_two_runs_of_which_each_has_the_result_of_the_other_on_its_way(tmp_path: Path) -> None:
    a = recorded(tmp_path / "a", lambda: of_torch().mean() * 30)
    b = recorded(tmp_path / "b", lambda: of_torch().sum() / 30)
    assert tensordbg.diff(a, b).status == "diverged"


def test_other_places_of_the_same_numbers(tmp_path: Path) -> None:
    a = recorded(tmp_path / "a", lambda: tf.argmax(of_tensorflow(), -1))
    same = recorded(tmp_path / "same", lambda: of_torch().argmax(-1).to(torch.int32))
    assert tensordbg.diff(a, same).status == "same"
    for name, axis in (("smallest", -1), ("axis", 0)):
        places = "argmin" if name == "smallest" else "argmax"
        other = recorded(tmp_path / name, lambda places=places, axis=axis: getattr(of_torch(), places)(axis))
        found = first(tensordbg.diff(a, other))
        assert found.kind == "value"
        assert "ArgMax:0, int64[6]" in found.explanation
        assert f"aten::{places}:0, int64" in found.explanation


def evaluated(way: str) -> Program:
    """Takes the loss of three batches; how it is put together, and what is told beside it, is no difference."""

    def program() -> None:
        total, losses, right = torch.zeros(()), [], torch.zeros(())
        for x, classes in BATCHES:
            scores = of_torch(x)
            loss = F.cross_entropy(scores, torch.tensor(classes))
            losses.append(loss if way == "stacked" else loss.item())
            if way == "summed":
                total = total + loss
            if way == "beside":
                right = right + (scores.argmax(-1) == torch.tensor(classes)).float().mean()
            if way == "halved":
                (loss * 0.5).item()
        if way == "summed":
            (total / len(BATCHES)).item()
        if way == "stacked":
            torch.stack(losses).mean()

    return program


def test_results_that_one_run_puts_together_are_the_same(tmp_path: Path) -> None:
    reference = recorded(tmp_path / "each", evaluated("each"))
    for way in ("summed", "stacked", "beside"):
        results = both_ways(tmp_path / way, reference, evaluated(way))
        assert [each.status for each in results] == ["same", "same"], way
    results = both_ways(tmp_path / "halved", reference, evaluated("halved"))
    assert [each.status for each in results] == ["diverged", "diverged"]


def trained(figures: str = "", end: Callable[[Any], Any] = unchanged) -> Program:
    def program() -> None:
        weights = [torch.tensor(each).requires_grad_() for each in (FIRST, BIAS, SECOND)]
        optimizer, mean = torch.optim.SGD(weights, 0.1), torch.zeros(())
        for x, classes in BATCHES:
            scores = torch.relu(torch.tensor(x) @ weights[0] + weights[1]) @ weights[2]
            loss = F.cross_entropy(scores, torch.tensor(classes))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if figures == "mean":
                mean = 0.9 * mean + 0.1 * loss.detach()
            if figures == "percent":
                ((scores.detach().argmax(-1) == torch.tensor(classes)).float().mean() * 100).item()
        with torch.no_grad():
            end(torch.relu(torch.tensor(X) @ weights[0] + weights[1]) @ weights[2])

    return program


def test_behind_a_training_the_result_counts_and_figures_do_not(tmp_path: Path) -> None:
    reference = recorded(tmp_path / "plain", trained())
    for figures in ("mean", "percent"):
        assert tensordbg.diff(reference, recorded(tmp_path / figures, trained(figures))).status == "same"
    for name in ("softmax", "scaled", "places"):
        other = recorded(tmp_path / name, trained(end=ENDS_OF_TORCH[name]))
        assert first(tensordbg.diff(reference, other)).kind == "missing"


def test_what_is_served_of_a_training_and_a_run_that_failed_are_the_same(tmp_path: Path) -> None:
    """Where a run does not go on because it can't, or is not meant to, nothing is missing in it."""

    def served() -> None:
        of_torch(BATCHES[0][0])

    trains = recorded(tmp_path / "trained", trained())
    assert tensordbg.diff(trains, recorded(tmp_path / "served", served)).status == "same"

    def failing() -> None:
        of_torch()
        raise ValueError("given up")

    with pytest.raises(ValueError, match="given up"):
        recorded(tmp_path / "failed", failing)
    whole = recorded(tmp_path / "whole", ended(of_torch, ENDS_OF_TORCH["softmax"]))
    assert tensordbg.diff(tmp_path / "failed", whole).status == "same"


def test_batches_that_a_pipeline_hands_out_and_keras_puts_together_again(tmp_path: Path) -> None:
    """The pipeline runs ahead of the calls, and what takes a batch of it is not known."""
    images = drawn(12, 8)

    def of_keras() -> None:
        model = keras.Sequential([keras.layers.Dense(12, "relu"), keras.layers.Dense(5)])
        model.build((None, 8))
        model.set_weights([FIRST, BIAS, SECOND, np.zeros(5, "float32")])
        model.predict(images, batch_size=4, verbose=0)

    def one_by_one(end: Callable[[Any], Any]) -> Program:
        return lambda: [end(of_torch(batch)) for batch in np.split(images, 3)]

    runs = {"keras": of_keras, "torch": one_by_one(lambda x: x), "more": one_by_one(lambda x: x.softmax(-1))}
    keras_run, torch_run, more = (recorded(tmp_path / name, program) for name, program in runs.items())
    for pair in ((keras_run, torch_run), (torch_run, keras_run)):
        result = tensordbg.diff(*pair)
        assert result.status == "same", result.first
        assert not any("compared is what both have" in note for note in result.notes)
    found = first(tensordbg.diff(keras_run, more))
    assert found.kind == "missing"
    assert "the result of A is one that B goes on from, with aten::_softmax" in found.explanation
