"""`tdbg diff` of trainings: optimizers of two frameworks, half precision, and variables drawn and written over."""

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
_DRAWN = np.random.default_rng(5)
X, Y = _DRAWN.normal(size=(12, 10)).astype("float32"), _DRAWN.integers(0, 4, 12)
WEIGHTS = tuple(_DRAWN.normal(size=shape).astype("float32") * 0.4 for shape in ((10, 10), (10,), (10, 4), (4,)))

Forward = Callable[..., Any]


def usual(x: Any, w: Any) -> Any:
    return F.layer_norm(F.gelu(F.linear(x, w[0].T, w[1])), (10,)) @ w[2] + w[3]


def forward_of(change: str) -> Forward:
    """The network with one mistake."""

    def forward(x: Any, w: Any) -> Any:
        x = torch.cat([x[:1], x[:-1]]) if change == "rows" else x
        kernel = w[0] if change == "transposed" else w[0].T
        h = F.gelu(F.linear(x, kernel, None if change == "bias" else w[1]),
                   approximate="tanh" if change == "approximate" else "none")  # fmt: skip
        h = F.dropout(h, 0.2) if change == "dropout" else h
        h = F.layer_norm(h, (10,), eps=1e-6 if change == "epsilon" else 1e-5)
        out = h @ w[2] + w[3]
        return out.softmax(-1) if change == "softmax" else out

    return forward


def trained(folder: Path, optimizer: Callable[..., Any], change: str = "", half: str = "", steps: int = 3) -> Path:
    with tensordbg.record(folder):
        torch.manual_seed(0)
        w = [torch.nn.Parameter(torch.tensor(each)) for each in WEIGHTS]
        rule, forward = optimizer(w), forward_of(change)
        for _ in range(steps):
            rule.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=half == "half"):
                loss = F.cross_entropy(forward(torch.tensor(X), w), torch.tensor(Y))
            loss.backward()
            rule.step()
    return folder


def of_keras(folder: Path, optimizer: Callable[..., Any], drawn: str = "") -> Path:
    import keras
    import tensorflow as tf

    with tensordbg.record(folder):
        if drawn:  # as a model does before its weights are loaded
            keras.layers.Dense(10).build((12, 10))
        w = [tf.Variable(each) for each in WEIGHTS]
        rule = optimizer(keras.optimizers)
        for _ in range(3):
            with tf.GradientTape() as tape:
                h = tf.nn.gelu(tf.constant(X) @ w[0] + w[1], approximate=False)
                mean, variance = tf.nn.moments(h, -1, keepdims=True)
                out = (h - mean) * tf.math.rsqrt(variance + 1e-5) @ w[2] + w[3]
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(Y, out))
            rule.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
    return folder


def sgd(w: Any) -> Any:
    return torch.optim.SGD(w, 0.05)


OPTIMIZERS: Any = {
    "momentum": (lambda o: o.SGD(0.02, momentum=0.9), lambda w: torch.optim.SGD(w, 0.02, momentum=0.9),
                 lambda w: torch.optim.SGD(w, 0.02, momentum=0.8)),
    "nesterov": (lambda o: o.SGD(0.02, momentum=0.9, nesterov=True),
                 lambda w: torch.optim.SGD(w, 0.02, momentum=0.9, nesterov=True),
                 lambda w: torch.optim.SGD(w, 0.02, momentum=0.9)),
    "adamw": (lambda o: o.AdamW(0.01, weight_decay=0.1, epsilon=1e-8),
              lambda w: torch.optim.AdamW(w, 0.01, weight_decay=0.1),
              lambda w: torch.optim.Adam(w, 0.01, weight_decay=0.1)),
    "adagrad": (lambda o: o.Adagrad(0.05, epsilon=1e-10),
                lambda w: torch.optim.Adagrad(w, 0.05, initial_accumulator_value=0.1),
                lambda w: torch.optim.Adagrad(w, 0.05)),
}  # fmt: skip


@pytest.mark.parametrize("rule", OPTIMIZERS)
def test_an_optimizer_and_its_port(tmp_path: Path, rule: str) -> None:
    keras, right, wrong = OPTIMIZERS[rule]
    reference = of_keras(tmp_path / "a", keras)
    result = tensordbg.diff(reference, trained(tmp_path / "b", right))
    assert (result.status, result.first) == ("same", None)
    assert first(tensordbg.diff(reference, trained(tmp_path / "c", wrong))).kind == "update"


MISTAKES = {
    "transposed": ("value", "F.linear"),
    "bias": ("value", "F.linear"),
    "approximate": ("value", "F.linear"),
    "dropout": ("random", "F.dropout"),
    "epsilon": ("value", "F.layer_norm"),
    "softmax": ("missing", "softmax"),
    "rows": ("value missing", "F.linear"),
}


@pytest.mark.parametrize(
    ("change", "precision"),
    [(change, precision) for change in MISTAKES for precision in ("single", "half")
     if (change, precision) != ("approximate", "half")],  # which rounds to the same here
)  # fmt: skip
def test_a_line_that_was_changed(tmp_path: Path, change: str, precision: str) -> None:
    """In half precision the difference may be less than a rounding, and what is behind it near by chance."""
    reference = trained(tmp_path / "a", sgd, half=precision)
    found = first(tensordbg.diff(reference, trained(tmp_path / "b", sgd, change, precision)))
    kinds, words = MISTAKES[change]
    lines = [each.source.text for each in (found.b, *found.only) if each is not None and each.source is not None]
    assert found.kind in kinds.split(), found.explanation
    assert any(words in line for line in lines), lines


def test_a_bias_that_only_one_run_has_is_told(tmp_path: Path) -> None:
    result = tensordbg.diff(trained(tmp_path / "a", sgd), trained(tmp_path / "b", sgd, "bias"))
    assert "aten::addmm of A is given [10] besides" in first(result).explanation


@pytest.mark.parametrize(("a", "b"), [("single", "single"), ("half", "half"), ("single", "half")])
def test_twins_in_single_and_half_precision(tmp_path: Path, a: str, b: str) -> None:
    result = tensordbg.diff(trained(tmp_path / "a", sgd, half=a), trained(tmp_path / "b", sgd, half=b))
    assert (result.status, result.first) == ("same", None)


def test_first_values_that_are_never_used_are_no_difference(tmp_path: Path) -> None:
    def rule(of: Any) -> Any:
        return of.SGD(0.05)

    runs = of_keras(tmp_path / "a", rule, "drawn"), of_keras(tmp_path / "b", rule, "drawn")
    result = tensordbg.diff(*runs)
    assert (result.status, result.first) == ("same", None)


@pytest.mark.parametrize(("stride", "dilation", "named"), [(1, 1, ""), (2, 1, "stride"), (1, 2, "dilation")])
def test_strides_and_dilations_are_named_across_frameworks(
    tmp_path: Path, stride: int, dilation: int, named: str
) -> None:
    import tensorflow as tf

    drawn = np.random.default_rng(1)
    images, kernel = (drawn.normal(size=size).astype("float32") for size in ((2, 9, 9, 3), (3, 3, 3, 4)))
    with tensordbg.record(tmp_path / "a"):
        v = tf.Variable(kernel)
        tf.function(lambda: tf.reduce_sum(tf.nn.relu(tf.nn.conv2d(tf.constant(images), v, 1, "VALID"))))()
    with tensordbg.record(tmp_path / "b"):
        x, w = torch.tensor(images.transpose(0, 3, 1, 2).copy()), torch.tensor(kernel.transpose(3, 2, 0, 1).copy())
        F.conv2d(x, w, stride=stride, dilation=dilation).relu().sum()
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.status == ("diverged" if named else "same")
    difference = result.first.difference if result.first else ()
    assert [(each.attribute, each.a, each.b) for each in difference] == ([(named, [1, 1], [2, 2])] if named else [])


@pytest.mark.parametrize(
    ("size", "named"),
    [(8, [[[0, 1], [0, 1]], [[1, 1], [1, 1]]]), (9, None), ("padded before", None)],
)
def test_a_padding_is_named_across_frameworks(tmp_path: Path, size: object, named: object) -> None:
    """The word for as much as is needed means one side alone where the stride is two and the size is even."""
    import tensorflow as tf

    drawn, length = np.random.default_rng(1), size if isinstance(size, int) else 8
    images, kernel = (drawn.normal(size=size).astype("float32") for size in ((2, length, length, 3), (3, 3, 3, 4)))
    with tensordbg.record(tmp_path / "a"):
        v = tf.Variable(kernel)
        tf.function(lambda: tf.reduce_sum(tf.nn.relu(tf.nn.conv2d(tf.constant(images), v, 2, "SAME"))))()
    with tensordbg.record(tmp_path / "b"):
        x, w = torch.tensor(images.transpose(0, 3, 1, 2).copy()), torch.tensor(kernel.transpose(3, 2, 0, 1).copy())
        padded = F.pad(x, (0, 1, 0, 1)) if size == "padded before" else x
        F.conv2d(padded, w, stride=2, padding=0 if size == "padded before" else 1).relu().sum()
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.status == ("diverged" if named else "same")
    if named:
        assert result.first is not None
        assert [(each.attribute, [each.a, each.b]) for each in result.first.difference] == [("padding", named)]
        assert "before" in result.first.suggestion


@pytest.mark.parametrize(("momentum", "mistake"), [(0.1, ""), (0.2, "momentum"), (0.1, "slope"), (0.2, "slope")])
def test_running_statistics_that_are_no_module_s_come_behind_what_differs_in_their_step(
    tmp_path: Path, momentum: float, mistake: str
) -> None:
    def run(folder: Path, momentum: float, slope: float) -> Path:
        with tensordbg.record(folder):
            w = [torch.nn.Parameter(torch.tensor(each)) for each in WEIGHTS]
            rule, mean, variance = sgd(w), torch.zeros(10), torch.ones(10)
            for _ in range(3):
                rule.zero_grad()
                h = F.batch_norm(torch.tensor(X) @ w[0] + w[1], mean, variance, training=True, momentum=momentum)
                F.cross_entropy(F.leaky_relu(h, slope) @ w[2] + w[3], torch.tensor(Y)).backward()
                rule.step()
            F.batch_norm(torch.tensor(X) @ w[0] + w[1], mean, variance)
        return folder

    slope = 0.3 if mistake == "slope" else 0.1
    result = tensordbg.diff(run(tmp_path / "a", 0.1, 0.1), run(tmp_path / "b", momentum, slope))
    assert result.status == ("diverged" if mistake else "same")
    told = [(result.first.kind, each.attribute) for each in result.first.difference] if result.first else []
    assert told == ([("update" if mistake == "momentum" else "value", mistake)] if mistake else [])


def test_an_evaluation_that_goes_by_other_running_statistics_is_told_with_their_name(tmp_path: Path) -> None:
    import keras
    import tensorflow as tf

    with tensordbg.record(tmp_path / "a"):
        of_a, kernel = keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-5), tf.Variable(WEIGHTS[0])
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.relu(of_a(tf.constant(X) @ kernel, training=True)) ** 2)
            kernel.assign_sub(0.05 * tape.gradient(loss, kernel))
        tf.nn.relu(of_a(tf.constant(X) @ kernel, training=False))
    with tensordbg.record(tmp_path / "b"):
        of_b, w = torch.nn.BatchNorm1d(10, momentum=0.1), torch.nn.Parameter(torch.tensor(WEIGHTS[0]))
        rule = sgd([w])
        for _ in range(3):
            rule.zero_grad()
            of_b(torch.tensor(X) @ w).relu().square().mean().backward()
            rule.step()
        of_b.eval()(torch.tensor(X) @ w).relu()
    found = first(tensordbg.diff(tmp_path / "a", tmp_path / "b"))
    assert (found.kind, found.explanation.rpartition(": ")[2]) == ("update", "running_var")


def gated(folder: Path, exchanged: bool, learns: bool) -> Path:
    """Runs a gated layer, right or with its two halves exchanged."""
    with tensordbg.record(folder):
        w = [torch.nn.Parameter(torch.tensor(each)) for each in (*WEIGHTS, WEIGHTS[0][::-1].copy())]
        rule = sgd(w)
        for _ in range(2):
            gate, up = torch.tensor(X) @ w[0], torch.tensor(X) @ w[4]
            if exchanged:
                gate, up = up, gate
            out = (F.silu(gate) * up) @ w[2]  # HERE
            if learns:
                rule.zero_grad()
                F.cross_entropy(out, torch.tensor(Y)).backward()
                rule.step()
    return folder


@pytest.mark.parametrize("learns", [False, True])
def test_values_that_are_exchanged_are_told_where_they_go_in(tmp_path: Path, learns: bool) -> None:
    import tensorflow as tf

    torch_a, port = gated(tmp_path / "a", False, learns), gated(tmp_path / "b", True, learns)
    with tensordbg.record(tmp_path / "c"):
        w = [tf.Variable(each) for each in (WEIGHTS[0], WEIGHTS[0][::-1].copy(), WEIGHTS[2])]
        tf.function(lambda x: (tf.nn.silu(x @ w[0]) * (x @ w[1])) @ w[2])(tf.constant(X))
    references = (torch_a,) if learns else (torch_a, tmp_path / "c")
    for reference in references:
        found = first(tensordbg.diff(reference, port))
        assert found.kind == "value"
        assert found.b is not None
        assert found.b.source is not None
        assert "# HERE" in found.b.source.text
        assert "each takes another value that both runs have" in found.explanation
    if not learns:
        assert tensordbg.diff(tmp_path / "c", torch_a).status == "same"


@pytest.mark.parametrize("slope", [0.1, 0.3])
def test_an_operation_of_one_framework_is_run_with_the_inputs_of_another(tmp_path: Path, slope: float) -> None:
    import tensorflow as tf

    with tensordbg.record(tmp_path / "a", detail="values"):
        h = F.leaky_relu(torch.tensor(X) @ torch.tensor(WEIGHTS[0]), 0.1)
        (h @ torch.tensor(WEIGHTS[2])).softmax(-1).square().sum()
    with tensordbg.record(tmp_path / "b", detail="values"):

        @tf.function
        def step(x: Any) -> Any:
            h = tf.nn.leaky_relu(x @ WEIGHTS[0], slope)
            return tf.reduce_sum(tf.nn.softmax(h @ WEIGHTS[2]) ** 2)

        step(tf.constant(X))
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    if slope == 0.1:
        assert (result.status, result.first) == ("same", None)
        return
    found = first(result)
    assert (found.added, found.difference[0].attribute) == (True, "slope")
    assert found.rerun is not None
    assert found.measured is not None
    assert found.rerun.largest == pytest.approx(found.measured.largest, rel=1e-5)


def clipping(folder: Path, limit: float) -> Path:
    """Trains by Adam in PyTorch, with clipped gradients unless the limit is 0."""
    with tensordbg.record(folder):
        w = [torch.nn.Parameter(torch.tensor(each)) for each in WEIGHTS]
        rule, forward = torch.optim.Adam(w, 1e-3, eps=1e-7), forward_of("")
        for _ in range(3):
            rule.zero_grad()
            F.cross_entropy(forward(torch.tensor(X), w), torch.tensor(Y)).backward()
            if limit:
                torch.nn.utils.clip_grad_norm_(w, limit)
            rule.step()
    return folder


def test_clipping_is_told_though_adam_makes_the_same_of_it(tmp_path: Path) -> None:
    """The parameters agree, as Adam divides by what it is given; and each framework adds another number to the norm."""

    def rule(limit: float | None) -> Any:
        return lambda of: of.Adam(1e-3, global_clipnorm=limit, epsilon=1e-7)

    plain, clipped = of_keras(tmp_path / "a", rule(None)), of_keras(tmp_path / "b", rule(0.1))
    ports = {limit: clipping(tmp_path / f"{limit}", limit) for limit in (0.0, 0.1, 0.05, 100.0)}
    for reference, limit in ((plain, 0.0), (clipped, 0.1), (plain, 100.0)):
        result = tensordbg.diff(reference, ports[limit])
        assert (result.status, result.first) == ("same", None)
    norm = "norm of all gradients up to 0.1"
    told = {(plain, 0.1): f"none in A and {norm} in B", (clipped, 0.0): "; A scales"}
    for (reference, limit), by in (told | {(clipped, 0.05): "does not"}).items():
        found = first(tensordbg.diff(reference, ports[limit]))
        assert found.kind == "update"
        assert by in found.explanation


CELLS = {"lstm": ("ifgo", ("figo", "ifog")), "gru": ("rzn", ("zrn",))}


@pytest.mark.parametrize(("kind", "order"), [(kind, order) for kind, (_, others) in CELLS.items() for order in others])
def test_gates_in_another_order_are_named(tmp_path: Path, kind: str, order: str) -> None:
    def run(folder: Path, order: str) -> Path:
        with tensordbg.record(folder):
            torch.manual_seed(1)
            first, again = torch.randn(6, 4 * len(order)), torch.randn(4, 4 * len(order))
            h = c = torch.zeros(3, 4)
            for step in range(3):
                of_x, of_h = torch.tensor(X[step : step + 3, :6]) @ first, h @ again
                if kind == "lstm":
                    p = dict(zip(order, (of_x + of_h).chunk(4, -1), strict=True))
                    c = torch.sigmoid(p["f"]) * c + torch.sigmoid(p["i"]) * torch.tanh(p["g"])
                    h = torch.sigmoid(p["o"]) * torch.tanh(c)
                else:
                    p, q = (dict(zip(order, each.chunk(3, -1), strict=True)) for each in (of_x, of_h))
                    z, r = (torch.sigmoid(p[each] + q[each]) for each in "zr")
                    n = torch.tanh(p["n"] + r * q["n"])
                    h = (1 - z) * n + z * h
            torch.exp(h)
        return folder

    found = first(tensordbg.diff(run(tmp_path / "a", CELLS[kind][0]), run(tmp_path / "b", order)))
    assert found.kind == "value"
    assert "in another order" in found.explanation


def test_an_epsilon_that_eager_code_adds_is_told(tmp_path: Path) -> None:
    import tensorflow as tf

    def run(folder: Path, epsilon: float, wrap: Any) -> Path:
        with tensordbg.record(folder):

            def step(x: Any) -> Any:
                mean, variance = tf.nn.moments(x, -1, keepdims=True)
                return tf.nn.relu((x - mean) * tf.math.rsqrt(variance + epsilon) @ WEIGHTS[0])

            wrap(step)(tf.constant(X))
        return folder

    reference = run(tmp_path / "a", 0.1, tf.function)
    found = first(tensordbg.diff(reference, run(tmp_path / "b", 0.001, lambda step: step)))
    assert [(each.attribute, each.a, each.b) for each in found.difference] == [("epsilon", 0.1, 0.001)]


def attending(folder: Path, order: bool = False, change: str = "") -> Path:
    """Trains an attention whose keys have a bias, which has no gradient but rounding; products may be in two parts."""
    with tensordbg.record(folder):
        w = [torch.nn.Parameter(torch.tensor(each)) for each in (WEIGHTS[0], WEIGHTS[0][::-1].copy(), WEIGHTS[2])]
        bias = torch.nn.Parameter(torch.full((10,), 0.1))
        betas = (0.8, 0.999) if change == "betas" else (0.9, 0.999)
        rule = torch.optim.Adam([*w, bias], 1e-1 if change == "rate" else 1e-2, betas)
        for _ in range(3):
            rule.zero_grad()
            x = torch.tensor(X)
            scores = torch.einsum("qd,kd->qk", x @ w[0], x @ w[1] + bias) if order else (x @ w[0]) @ (x @ w[1] + bias).T
            F.cross_entropy(scores.softmax(-1) @ x @ w[2], torch.tensor(Y)).backward()
            rule.step()
    return folder


def test_steps_that_adam_makes_of_rounding_are_no_difference(tmp_path: Path) -> None:
    reference = attending(tmp_path / "a")
    result = tensordbg.diff(reference, attending(tmp_path / "b", order=True))
    assert (result.status, result.first) == ("same", None)
    for change in ("rate", "betas"):
        assert (
            first(tensordbg.diff(reference, attending(tmp_path / change, order=True, change=change))).kind == "update"
        )
