"""`tdbg diff` of what optimizers make of gradients: rates that change, clipping, gradients left over, momentum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison, FirstDifference
from tests.differences import told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(3)
X, Y = _DRAWN.normal(size=(12, 10)).astype("float32"), _DRAWN.integers(0, 4, 12)
KERNEL, INNER, HEAD = ((0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((10, 8), (8, 8), (8, 4)))


def sgd(w: Any) -> Any:
    return torch.optim.SGD(w, 0.1, momentum=0.9)


def adamw(w: Any) -> Any:
    return torch.optim.AdamW(w, 1e-2, weight_decay=0.1)


def trained(folder: Path, optimizer: Callable[..., Any] = adamw, change: str = "") -> Path:
    w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, INNER, HEAD)]
    rule = optimizer(w)
    with tensordbg.record(folder):
        for step in range(4):
            if change != "left over":
                rule.zero_grad()
            if change == "late rate" and step == 2:
                rule.param_groups[0]["lr"] /= 4
            logits = torch.tanh(torch.tanh(torch.tensor(X) @ w[0]) @ w[1]) @ w[2]
            loss = F.cross_entropy(logits, torch.tensor(Y), reduction="sum" if change == "sum" else "mean")
            if change == "metric":
                _ = loss.detach() * len(Y)
            loss.backward()
            if change == "clip":
                torch.nn.utils.clip_grad_norm_(w, 0.05)
            if change == "clip values":
                torch.nn.utils.clip_grad_value_(w, 0.01)
            if change == "clip each":
                for each in w:
                    torch.nn.utils.clip_grad_norm_([each], 0.05)
            rule.step()
    return folder


def without_settings(folder: Path) -> Path:
    """The trace as earlier versions recorded it, or of an optimizer that the program wrote itself."""
    for trace in folder.glob("**/facts.jsonl"):
        rows = trace.read_text().splitlines(keepends=True)
        trace.write_text("".join(row for row in rows if not row.startswith('{"optimizer"')))
    return folder


def first(result: Comparison) -> FirstDifference:
    assert result.first is not None
    return result.first


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("updates")
    trained(folder / "sgd", sgd)
    trained(folder / "adamw")
    return folder


@pytest.mark.parametrize("optimizer", [sgd, adamw])
def test_a_learning_rate_that_changes_late_is_told_as_one(runs: Path, tmp_path: Path, optimizer: Any) -> None:
    late = trained(tmp_path / "b", optimizer, "late rate")
    found = first(tensordbg.diff(runs / optimizer.__name__, late))
    assert found.kind == "update"
    rate = 0.1 if optimizer is sgd else 0.01
    assert told(found) == [("learning rate", rate, rate / 4)]
    assert (found.explanation.endswith("up to step 1 the updates agree"), found.suggestion) == (
        True,
        f"set learning rate to {rate} in B",
    )
    found = first(tensordbg.diff(runs / optimizer.__name__, without_settings(late)))
    assert found.kind == "update"
    assert found.b is not None
    assert found.b.view.step == 2
    assert "the learning rate of B is 0.25 times that of A; up to step 1 the updates agree" in found.explanation


def test_another_share_of_decay_is_no_learning_rate(runs: Path, tmp_path: Path) -> None:
    decaying = trained(tmp_path / "b", lambda w: torch.optim.AdamW(w, 1e-2, weight_decay=0.2))
    assert told(first(tensordbg.diff(runs / "adamw", decaying))) == [("weight decay", 0.1, 0.2)]
    found = first(tensordbg.diff(runs / "adamw", without_settings(decaying)))
    assert found.kind == "update"
    assert "learning rate of B" not in found.explanation


def test_clipping_in_one_run_is_told(runs: Path, tmp_path: Path) -> None:
    found = first(tensordbg.diff(runs / "sgd", trained(tmp_path / "b", sgd, "clip")))
    assert (found.kind, told(found)) == ("update", [("clipping", "none", FORMS["clip"])])
    assert found.suggestion == "clip in both runs alike: A does not, so leave it out in B"


def test_gradients_that_are_left_over_are_told(runs: Path, tmp_path: Path) -> None:
    found = first(tensordbg.diff(runs / "sgd", trained(tmp_path / "b", sgd, "left over")))
    assert found.explanation.startswith("B adds the gradients of step 1 to those of a step before")


def test_a_use_of_a_parameter_that_is_detached_is_told_at_its_gradient(tmp_path: Path) -> None:
    def tied(folder: Path, detached: bool) -> Path:
        w = torch.nn.Parameter(torch.tensor(KERNEL))
        rule = torch.optim.SGD([w], 0.1)
        with tensordbg.record(folder):
            hidden = torch.tanh(torch.tensor(X) @ w)
            (hidden @ (w.detach() if detached else w).T).square().mean().backward()
            rule.step()
        return folder

    found = first(tensordbg.diff(tied(tmp_path / "a", False), tied(tmp_path / "b", True)))
    assert found.explanation.startswith("the gradient that A takes a step by is a sum (aten::add")


def test_a_sum_that_a_metric_has_too_is_another_loss(tmp_path: Path) -> None:
    a, b = trained(tmp_path / "a", sgd, "metric"), trained(tmp_path / "b", sgd, "sum")
    found = first(tensordbg.diff(a, b))
    assert found.b is not None
    assert found.b.view.op_type == "aten::nll_loss_forward"


def by_hand(folder: Path, rate: float = 0.1) -> Path:
    """The same training with the mean of the losses written out, by a number that the other run has as well."""
    w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, INNER, HEAD)]
    rule = torch.optim.SGD(w, rate, momentum=0.9)
    chosen = F.one_hot(torch.tensor(Y), 4).float()
    with tensordbg.record(folder):
        for _ in range(4):
            rule.zero_grad()
            logits = torch.tanh(torch.tanh(torch.tensor(X) @ w[0]) @ w[1]) @ w[2]
            count = chosen.sum()
            (-(chosen * logits.log_softmax(-1)).sum() / count).backward()
            rule.step()
    return folder


def test_the_number_of_rows_is_no_loss(runs: Path, tmp_path: Path) -> None:
    assert tensordbg.diff(by_hand(tmp_path / "a"), runs / "sgd").status == "same"
    assert first(tensordbg.diff(by_hand(tmp_path / "b", 0.2), runs / "sgd")).kind == "update"


def of_keras(folder: Path, optimizer: Callable[..., Any], scale: float = 1.0, compiled: bool = False) -> Path:
    import keras
    import tensorflow as tf

    w = [tf.Variable(each) for each in (KERNEL, INNER, HEAD)]
    rule = optimizer(keras.optimizers)

    def step() -> Any:
        with tf.GradientTape() as tape:
            logits = tf.tanh(tf.tanh(tf.constant(X) @ w[0]) @ w[1]) @ w[2]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(Y, logits))
            loss = loss * scale if scale != 1 else loss
        rule.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
        return loss

    with tensordbg.record(folder):
        run = tf.function(step) if compiled else step
        for _ in range(3):
            run()
    return folder


def test_the_momentum_of_two_frameworks_is_named_among_all_their_numbers(runs: Path, tmp_path: Path) -> None:
    assert tensordbg.diff(of_keras(tmp_path / "a", lambda of: of.SGD(0.1, 0.9)), runs / "sgd").status == "same"
    other = of_keras(tmp_path / "b", lambda of: of.SGD(0.1, 0.8))
    assert told(first(tensordbg.diff(other, runs / "sgd"))) == [("momentum", 0.8, 0.9)]
    assert told(first(tensordbg.diff(without_settings(other), runs / "sgd"))) == [("momentum", 0.8, 0.9)]


def test_settings_by_which_an_optimizer_changes_what_it_keeps_have_their_names(runs: Path, tmp_path: Path) -> None:
    def other(w: Any) -> Any:
        return torch.optim.SGD(w, 0.1, momentum=0.8)

    def betas(w: Any) -> Any:
        return torch.optim.AdamW(w, 1e-2, weight_decay=0.1, betas=(0.9, 0.99))

    kept = trained(tmp_path / "b", other)
    for each in (kept, without_settings(kept)):
        found = first(tensordbg.diff(runs / "sgd", each))
        assert told(found) == [("momentum", 0.9, 0.8)]
        assert (found.suggestion, "learning rate" in found.explanation) == ("set momentum to 0.9 in B", False)
    kept = trained(tmp_path / "c", betas)
    assert told(first(tensordbg.diff(runs / "adamw", kept))) == [("beta2", 0.999, 0.99)]
    assert "beta2" in first(tensordbg.diff(runs / "adamw", without_settings(kept))).difference[0].attribute


def test_a_decay_of_weights_that_one_run_adds_to_the_gradient(runs: Path, tmp_path: Path) -> None:
    def decaying(w: Any) -> Any:
        return torch.optim.SGD(w, 0.1, momentum=0.9, weight_decay=0.1)

    kept = trained(tmp_path / "b", decaying)
    assert told(first(tensordbg.diff(runs / "sgd", kept))) == [("weight decay", 0, 0.1)]
    found = first(tensordbg.diff(runs / "sgd", without_settings(kept)))
    assert "B computes aten::add on the way of the parameter, as weight decay does" in found.explanation


OTHERWISE: list[tuple[Any, Any, list[tuple[str, object, object]], str]] = [
    (sgd, lambda w: torch.optim.SGD(w, 0.1, momentum=0.9, nesterov=True), [("nesterov", False, True)], "set nesterov"),
    (adamw, lambda w: torch.optim.AdamW(w, 1e-2, weight_decay=0.1, eps=1e-3), [("epsilon", 1e-8, 1e-3)], "set epsilon"),
    (
        adamw,
        lambda w: torch.optim.Adam(w, 1e-2),
        [("optimizer", "AdamW", "Adam"), ("weight decay", 0.1, 0)],
        "use AdamW in B, and set weight decay to 0.1 in B",
    ),
    (
        sgd,
        lambda w: torch.optim.SGD([{"params": w[:1]}, {"params": w[1:], "lr": 0.05}], 0.1, momentum=0.9),
        [("learning rate", 0.1, 0.05)],
        "set learning rate",
    ),
]


@pytest.mark.parametrize(("optimizer", "other", "difference", "suggestion"), OTHERWISE)
def test_whatever_an_optimizer_is_set_to_is_told_by_its_name(
    runs: Path, tmp_path: Path, optimizer: Any, other: Any, difference: Any, suggestion: str
) -> None:
    found = first(tensordbg.diff(runs / optimizer.__name__, trained(tmp_path / "b", other)))
    assert (found.kind, told(found)) == ("update", difference)
    assert found.suggestion.startswith(suggestion)


def test_settings_of_keras_are_known_of_steps_that_are_traced(tmp_path: Path) -> None:
    a = of_keras(tmp_path / "a", lambda of: of.Adam(1e-2), compiled=True)
    for name, optimizer, difference in (
        ("rate", lambda of: of.Adam(1e-3), ("learning rate", 0.01, 0.001)),
        ("clip", lambda of: of.Adam(1e-2, clipnorm=0.01), ("clipnorm", 0, 0.01)),
        ("decay", lambda of: of.Adam(1e-2, weight_decay=0.1), ("weight decay", 0, 0.1)),
        (
            "schedule",
            lambda of: of.Adam(of.schedules.ExponentialDecay(1e-2, 1, 0.5)),
            (
                "learning rate",
                0.01,
                "ExponentialDecay(initial_learning_rate=0.01, decay_steps=1, decay_rate=0.5, staircase=False)",
            ),
        ),
    ):
        found = first(tensordbg.diff(a, of_keras(tmp_path / name, optimizer, compiled=True)))
        assert (found.kind, told(found)) == ("update", [difference])


def test_the_epsilons_of_two_frameworks_are_told_where_nothing_else_differs(runs: Path, tmp_path: Path) -> None:
    a = of_keras(tmp_path / "a", lambda of: of.Adam(1e-2), compiled=True)
    found = first(tensordbg.diff(a, trained(tmp_path / "b", lambda w: torch.optim.Adam(w, 1e-3))))
    assert told(found)[0] == ("learning rate", 0.01, 0.001)


def test_gradients_that_are_left_over_beside_another_framework(runs: Path, tmp_path: Path) -> None:
    a = of_keras(tmp_path / "a", lambda of: of.Adam(1e-2, epsilon=1e-8), compiled=True)

    def adam(w: Any) -> Any:
        return torch.optim.Adam(w, 1e-2)

    found = first(tensordbg.diff(a, trained(tmp_path / "b", adam, "left over")))
    assert found.explanation.startswith("B adds the gradients of step 1 to those of a step before")


def test_a_loss_is_told_before_what_an_optimizer_keeps_and_reads_again(tmp_path: Path) -> None:
    def adam(of: Any) -> Any:
        return of.Adam(1e-2)

    a = of_keras(tmp_path / "a", adam)
    assert tensordbg.diff(a, of_keras(tmp_path / "b", adam, compiled=True)).status == "same"
    found = first(tensordbg.diff(a, of_keras(tmp_path / "c", adam, scale=0.5, compiled=True)))
    assert (found.kind, [each.view.op_type for each in found.only]) == ("missing", ["Mul"])


def test_that_one_run_is_longer_or_ended_with_an_error_is_told(tmp_path: Path) -> None:
    def steps(folder: Path, count: int, fails: bool = False) -> Path:
        w = [torch.nn.Parameter(torch.tensor(KERNEL))]
        rule = torch.optim.SGD(w, 0.1)
        with tensordbg.record(folder):
            for _ in range(count):
                rule.zero_grad()
                (torch.tensor(X) @ w[0]).square().mean().backward()
                rule.step()
            if fails:
                raise ValueError("no more\nof this")
        return folder

    a = steps(tmp_path / "a", 3)
    with pytest.raises(ValueError, match="no more"):
        steps(tmp_path / "b", 2, fails=True)
    result = tensordbg.diff(a, tmp_path / "b")
    assert (result.status, result.notes) == (
        "same",
        (
            "A goes on for 3 steps and B for 2 steps: compared is what both have",
            "B ended with ValueError: no more: compared is what it computed before",
        ),
    )
    assert tensordbg.diff(a, steps(tmp_path / "c", 3)).notes == ()


def test_the_rate_of_a_rule_that_a_program_writes_is_told_however_it_is_written(tmp_path: Path) -> None:
    def trained_by_hand(folder: Path, step: Callable[[Any], Any]) -> Path:
        w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, HEAD)]
        with tensordbg.record(folder):
            (torch.tanh(torch.tensor(X) @ w[0])[:, : len(HEAD)] @ w[1]).square().mean().backward()
            with torch.no_grad():
                for each in w:
                    step(each)
        return folder

    def product(w: Any, rate: float) -> None:
        w -= rate * w.grad

    a = trained_by_hand(tmp_path / "a", lambda w: product(w, 0.1))
    assert tensordbg.diff(a, trained_by_hand(tmp_path / "b", lambda w: w.sub_(w.grad, alpha=0.1))).status == "same"
    rules = (lambda w: w.sub_(w.grad, alpha=0.2)), (lambda w: product(w, 0.2))
    for number, rule in enumerate(rules):
        found = first(tensordbg.diff(a, trained_by_hand(tmp_path / f"c{number}", rule)))
        assert told(found) == [("constant", 0.1, 0.2)]


def in_keras(folder: Path, **clipping: float) -> Path:
    import keras

    layers = [keras.layers.Dense(each.shape[1], use_bias=False) for each in (KERNEL, INNER, HEAD)]
    layers[0].activation = layers[1].activation = keras.activations.tanh
    model = keras.Sequential([keras.layers.Input((10,)), *layers])
    model.set_weights([KERNEL, INNER, HEAD])
    model.compile(
        keras.optimizers.SGD(0.1, momentum=0.9, **clipping),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    with tensordbg.record(folder):
        model.fit(X, Y, batch_size=12, epochs=4, shuffle=False, verbose=0)
    return folder


FORMS = {
    "clip": "norm of all gradients up to 0.05",
    "clip each": "norm of each gradient up to 0.05",
    "clip values": "values up to 0.01",
}


def test_another_form_of_clipping(tmp_path: Path) -> None:
    """Each is seen by what is computed, whatever the framework calls it; Keras's settings have no names in PyTorch."""
    ports = {form: trained(tmp_path / form, sgd, form) for form in FORMS}
    of_keras = {
        "clip": in_keras(tmp_path / "all", global_clipnorm=0.05),
        "clip each": in_keras(tmp_path / "each", clipnorm=0.05),
        "clip values": in_keras(tmp_path / "values", clipvalue=0.01),
    }
    for (form, said), other in zip(FORMS.items(), ("clip each", "clip values", "clip"), strict=True):
        assert tensordbg.diff(of_keras[form], ports[form]).status == "same"
        for reference in (ports, of_keras):
            found = first(tensordbg.diff(reference[form], ports[other]))
            assert found.kind == "update"
            assert told(found) == [("clipping", said, FORMS[other])]


def test_another_form_or_limit_of_clipping_behind_an_adam(tmp_path: Path, runs: Path) -> None:
    values = trained(tmp_path / "values", adamw, "clip values")
    found = first(tensordbg.diff(trained(tmp_path / "norm", adamw, "clip"), values))
    assert told(found) == [("clipping", FORMS["clip"], FORMS["clip values"])]
    assert told(first(tensordbg.diff(runs / "adamw", values))) == [("clipping", "none", FORMS["clip values"])]
