"""`tdbg diff` of layers that one run has and the other writes out: recurrent cells, gated halves, groups, labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(8)


def drawn(*shape: int) -> Any:
    return _DRAWN.normal(size=shape).astype("float32")


def run(folder: Path, program: Callable[[], Any]) -> Path:
    with tensordbg.record(folder):
        program()
    return folder


def diff(tmp_path: Path, a: Callable[[], Any], b: Callable[[], Any]) -> Comparison:
    return tensordbg.diff(run(tmp_path / "a", a), run(tmp_path / "b", b))


SEQUENCE, CLASSES = drawn(4, 7, 6), _DRAWN.integers(0, 5, 4)


def layers() -> tuple[Any, Any]:
    torch.manual_seed(3)
    return torch.nn.GRU(6, 8, batch_first=True), torch.nn.Linear(8, 5)


def of_cells(gru: Any, before: str) -> Any:
    state = torch.zeros(4, 8)
    weight, bias = gru.weight_hh_l0, gru.bias_hh_l0
    for place in range(7):
        r, z, n = F.linear(torch.tensor(SEQUENCE)[:, place], gru.weight_ih_l0, gru.bias_ih_l0).chunk(3, -1)
        if before == "before":
            more = F.linear(state, weight[:16], bias[:16]).chunk(2, -1)
            r, z = torch.sigmoid(r + more[0]), torch.sigmoid(z + more[1])
            n = torch.tanh(n + F.linear(r * state, weight[16:], bias[16:]))
        else:
            again = F.linear(state, weight, bias).chunk(3, -1)
            r, z = torch.sigmoid(r + again[0]), torch.sigmoid(z + again[1])
            r, z = (z, r) if before == "exchanged" else (r, z)
            n = torch.tanh(n + r * again[2])
        old = 1 - z if before == "complement" else z
        state = (1 - old) * n + old * state
    return state


def recurrent(kind: str, steps: int) -> Callable[[], None]:
    def program() -> None:
        gru, head = layers()
        optimizer = torch.optim.SGD([*gru.parameters(), *head.parameters()], 0.1)
        for _ in range(max(steps, 1)):
            state = gru(torch.tensor(SEQUENCE))[0][:, -1] if kind == "layer" else of_cells(gru, kind)
            loss = F.cross_entropy(head(state), torch.tensor(CLASSES))
            if steps:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    return program


@pytest.mark.parametrize("steps", [0, 2])
def test_a_layer_beside_its_cells(tmp_path: Path, steps: int) -> None:
    """The layer multiplies the whole sequence at once; its parts are together what it gives, and no difference."""
    assert diff(tmp_path, recurrent("layer", steps), recurrent("", steps)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", recurrent("before", steps))))
    assert told(found) == [("place of the gate", "behind the product", "before the product")]


def test_gates_that_are_exchanged_and_one_that_is_for_the_new_value(tmp_path: Path) -> None:
    reference = run(tmp_path / "a", recurrent("layer", 0))
    found = first(tensordbg.diff(reference, run(tmp_path / "b", recurrent("complement", 0))))
    assert told(found) == [("factor", "1 - gate", "gate")]
    found = first(tensordbg.diff(reference, run(tmp_path / "c", recurrent("exchanged", 0))))
    assert "unlike gates that both have: gates are in another order" in found.explanation


ROWS, INNER, OUTER = drawn(5, 6), drawn(6, 16), drawn(8, 6)


def gated(turn: int) -> Callable[[], None]:
    def program() -> None:
        gate, value = (torch.tensor(ROWS) @ torch.tensor(INNER)).chunk(2, -1)[::turn]
        torch.softmax((F.silu(gate) * value) @ torch.tensor(OUTER), -1)

    return program


def gated_in_tensorflow(turn: int, wrap: bool) -> Callable[[], None]:
    def program() -> None:
        import tensorflow as tf

        def step(x: Any) -> Any:
            gate, value = tf.split(x @ INNER, 2, -1)[::turn]
            return tf.nn.softmax((tf.nn.silu(gate) * value) @ OUTER, -1)

        (tf.function(step) if wrap else step)(tf.constant(ROWS))

    return program


HALVES = [
    (gated(1), gated),
    (gated(1), lambda turn: gated_in_tensorflow(turn, False)),
    (gated(1), lambda turn: gated_in_tensorflow(turn, True)),
    (gated_in_tensorflow(1, True), gated),
]


@pytest.mark.parametrize(("reference", "port"), HALVES)
def test_halves_that_are_exchanged(tmp_path: Path, reference: Any, port: Any) -> None:
    assert diff(tmp_path, reference, port(1)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", port(-1))))
    assert found.kind == "value"
    assert "not the same part: places of a sequence, halves, gates, heads or channels" in found.explanation


IMAGES = drawn(2, 12, 5, 5)


def groups(count: int) -> Callable[[], None]:
    def program() -> None:
        torch.relu(F.group_norm(torch.tensor(IMAGES), count)).mean((2, 3))

    return program


def groups_written_out(count: int) -> Callable[[], None]:
    def program() -> None:
        x = torch.tensor(IMAGES).reshape(2, count, -1)
        x = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)
        torch.relu(x.reshape(IMAGES.shape)).mean((2, 3))

    return program


def groups_of_keras(count: int) -> Callable[[], None]:
    def program() -> None:
        import keras
        import tensorflow as tf

        layer = keras.layers.GroupNormalization(count, epsilon=1e-5)
        tf.reduce_mean(tf.nn.relu(layer(tf.constant(IMAGES.transpose(0, 2, 3, 1)))), [1, 2])

    return program


@pytest.mark.parametrize(
    ("reference", "port"),
    [(groups, groups_written_out), (groups, groups_of_keras), (groups_of_keras, groups_of_keras)],
)
def test_another_number_of_groups(tmp_path: Path, reference: Any, port: Any) -> None:
    assert diff(tmp_path, reference(4), port(4)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", port(3))))
    assert told(found) == [("number of means", 8, 6)]
    assert found.suggestion == "compare the number of groups and the axes that a mean is taken of"


LOGITS, LABELS = drawn(8, 6), _DRAWN.integers(1, 5, 8)


def one_hot(shift: int = 0, smooth: float = 0.0) -> Callable[[], None]:
    def program() -> None:
        labels = F.one_hot(torch.tensor(LABELS) + shift, 6).float()
        labels = labels * (1 - smooth) + smooth / 6 if smooth else labels
        -(labels * F.log_softmax(torch.tensor(LOGITS) * 2, -1)).sum(-1).mean()

    return program


def one_hot_in_tensorflow(shift: int = 0) -> Callable[[], None]:
    def program() -> None:
        import tensorflow as tf

        def loss(logits: Any, labels: Any) -> Any:
            return -tf.reduce_mean(tf.reduce_sum(tf.one_hot(labels + shift, 6) * tf.nn.log_softmax(logits * 2, -1), -1))

        tf.function(loss)(tf.constant(LOGITS), tf.constant(LABELS))

    return program


def cross_entropy(smooth: float = 0.0) -> Callable[[], None]:
    def program() -> None:
        F.cross_entropy(torch.tensor(LOGITS) * 2, torch.tensor(LABELS), label_smoothing=smooth)

    return program


@pytest.mark.parametrize("port", [one_hot, one_hot_in_tensorflow])
def test_labels_off_by_one(tmp_path: Path, port: Any) -> None:
    assert diff(tmp_path, one_hot(), port()).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", port(-1))))
    assert "8 ones that lie in other places: labels that are one-hot, or a mask" in found.explanation
    assert f"[0] is {LABELS[0]} in A and {LABELS[0] - 1} in B, 8 of 8 differ" in found.explanation


@pytest.mark.parametrize(
    ("a", "b", "of_a", "of_b"),
    [(cross_entropy, cross_entropy, 0.0, 0.1), (cross_entropy, cross_entropy, 0.1, 0.0),
     (cross_entropy, lambda share: one_hot(smooth=share), 0.1, 0.2)],
)  # fmt: skip
def test_labels_that_are_smoothed_without_a_gradient(tmp_path: Path, a: Any, b: Any, of_a: float, of_b: float) -> None:
    assert diff(tmp_path, a(of_a), b(of_a)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", b(of_b))))
    assert told(found) == [("label smoothing", of_a, of_b)]


def test_a_penalty_without_a_gradient(tmp_path: Path) -> None:
    def penalized(share: float) -> Callable[[], None]:
        def program() -> None:
            w = torch.tensor(INNER)
            loss = (torch.tensor(ROWS) @ w).square().mean()
            if share:
                loss = loss + share * w.abs().sum()
            loss.sqrt()

        return program

    assert diff(tmp_path, penalized(0.0), penalized(0.0)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", penalized(0.1))))
    assert found.explanation == "B computes aten::add of values that both runs have, before aten::sqrt; A does not"


TURNED = drawn(2, 3, 8, 16)


def rotary(pairs: str) -> Callable[[], None]:
    def program() -> None:
        x = torch.tensor(TURNED)
        angles = torch.arange(8.0)[:, None] / 100 ** (torch.arange(0, 16, 2) / 16)
        if pairs == "halves":
            cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
            turned = torch.cat([-x[..., 8:], x[..., :8]], -1)
        else:
            cos, sin = angles.cos().repeat_interleave(2, -1), angles.sin().repeat_interleave(2, -1)
            turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
        (x * cos + turned * sin).softmax(-1)

    return program


def rotary_in_tensorflow() -> None:
    import tensorflow as tf

    def step(x: Any) -> Any:
        angles = np.arange(8.0)[:, None] / 100 ** (np.arange(0, 16, 2) / 16)
        cos, sin = (tf.repeat(each(tf.constant(angles, tf.float32)), 2, -1) for each in (tf.cos, tf.sin))
        turned = tf.reshape(tf.stack([-x[..., 1::2], x[..., ::2]], -1), x.shape)
        return tf.nn.softmax(x * cos + turned * sin, -1)

    tf.function(step)(tf.constant(TURNED))


def test_halves_in_place_of_pairs_are_an_order(tmp_path: Path) -> None:
    """An argument of a function that nothing has computed is known as what both runs begin with."""
    assert diff(tmp_path, rotary("pairs"), rotary_in_tensorflow).status == "same"
    for port in (rotary("pairs"), rotary_in_tensorflow):
        found = first(tensordbg.diff(run(tmp_path / "h", rotary("halves")), run(tmp_path / "p", port)))
        assert found.kind == "value"
        assert "order" in found.explanation


def test_what_a_cross_entropy_gives_besides_is_no_result(tmp_path: Path) -> None:
    """TensorFlow's gives its gradient, PyTorch's the number of rows; without a backward pass nothing takes either."""

    def in_tensorflow(temperature: float) -> Callable[[], None]:
        def program() -> None:
            import tensorflow as tf

            def loss(logits: Any, labels: Any) -> Any:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits * temperature)
                return tf.reduce_mean(losses)

            tf.function(loss)(tf.constant(LOGITS), tf.constant(LABELS))

        return program

    port = run(tmp_path / "b", cross_entropy())
    assert tensordbg.diff(run(tmp_path / "a", in_tensorflow(2)), port).status == "same"
    assert tensordbg.diff(port, tmp_path / "a").status == "same"
    assert tensordbg.diff(run(tmp_path / "c", in_tensorflow(3)), port).status == "diverged"


PIXELS, FILTER = 255 * _DRAWN.random((2, 8, 8, 3)).astype("float32"), drawn(3, 3, 3, 4)


def images_in_tensorflow() -> None:
    import tensorflow as tf

    def net(x: Any) -> Any:
        return tf.nn.relu(tf.nn.conv2d(x / 255, FILTER, 2, "SAME"))

    tf.function(net)(tf.constant(PIXELS))


def images_in_torch(change: str) -> Callable[[], None]:
    def program() -> None:
        x = torch.tensor(PIXELS).permute(0, 3, 1, 2)
        x = x if change == "raw" else x / 255
        x = (x - 0.5) / 0.25 if change == "moved" else x.flip(1) if change == "turned" else x
        torch.relu(F.conv2d(F.pad(x, (0, 1, 0, 1)), torch.tensor(FILTER).permute(3, 2, 0, 1), stride=2))

    return program


def test_zeros_around_an_image_are_not_what_differs(tmp_path: Path) -> None:
    """PyTorch's are put there before, TensorFlow's by the convolution itself."""
    assert diff(tmp_path, images_in_tensorflow, images_in_torch("")).status == "same"
    said = {
        "turned": "one of the inputs has its elements in another order",
        "moved": "B computes aten::sub, aten::div of values that both runs have",
        "raw": "A computes RealDiv of values that both runs have",
    }
    for change, words in said.items():
        found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / change, images_in_torch(change))))
        assert words in found.explanation


def test_a_place_behind_another_padding(tmp_path: Path) -> None:
    def padded(side: int) -> Callable[[], None]:
        def program() -> None:
            rows = torch.zeros(4, 7, 6)
            for each, length in enumerate((7, 4, 5, 6)):
                rows[each, 7 - length if side < 0 else 0 :][:length] = torch.tensor(SEQUENCE[each, :length])
            torch.tanh(rows @ torch.tensor(INNER))[:, -1].softmax(-1)

        return program

    assert diff(tmp_path, padded(1), padded(1)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", padded(-1))))
    assert "in another order" in found.explanation
    assert "a padding on the left or on the right" in found.suggestion


@pytest.mark.parametrize(
    ("change", "said"),
    [(lambda x: x * 255, "that of B is 255 times that of A"), (lambda x: x / 0.5 - 1, "2 times that of A less 1"),
     (lambda x: x**2, "all else that goes in agrees")],
)  # fmt: skip
def test_an_input_in_another_scale(tmp_path: Path, change: Callable[[Any], Any], said: str) -> None:
    rows = _DRAWN.random((5, 6)).astype("float32")

    def program(of: Any) -> Callable[[], None]:
        return lambda: (torch.tensor(of) @ torch.tensor(INNER)).softmax(-1)

    assert diff(tmp_path, program(rows), program(rows)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", program(change(rows)))))
    assert (found.kind, found.explanation.endswith(said)) == ("input", True), found.explanation


TABLE, PLACES = drawn(12, 6), _DRAWN.integers(0, 12, (4, 5))


def tied_in_tensorflow(tied: bool) -> Callable[[], None]:
    def program() -> None:
        import tensorflow as tf

        table = tf.Variable(TABLE)
        out = table if tied else tf.Variable(TABLE)

        @tf.function
        def step(places: Any) -> None:
            with tf.GradientTape() as tape:
                logits = tf.matmul(tf.tanh(tf.gather(table, places)), out, transpose_b=True)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(places, logits))
            each = [table] if tied else [table, out]
            for variable, gradient in zip(each, tape.gradient(loss, each), strict=True):
                variable.assign_sub(0.5 * tf.convert_to_tensor(gradient))

        for _ in range(2):
            step(tf.constant(PLACES))

    return program


def tied_in_torch(tied: bool) -> Callable[[], None]:
    def program() -> None:
        table = torch.nn.Parameter(torch.tensor(TABLE))
        out = table if tied else torch.nn.Parameter(torch.tensor(TABLE.copy()))
        rule = torch.optim.SGD([table] if tied else [table, out], 0.5)
        for _ in range(2):
            rule.zero_grad()
            logits = F.embedding(torch.tensor(PLACES), table).tanh() @ out.T
            F.cross_entropy(logits.flatten(0, 1), torch.tensor(PLACES).flatten()).backward()
            rule.step()

    return program


def test_weights_that_one_run_ties(tmp_path: Path) -> None:
    """The one takes steps by the sum of two gradients, the other by each, and each framework by its own formula."""
    of = {tied: run(tmp_path / f"tensorflow {tied}", tied_in_tensorflow(tied)) for tied in (True, False)}
    ports = {tied: run(tmp_path / f"torch {tied}", tied_in_torch(tied)) for tied in (True, False)}
    for tied, other in ((True, "A"), (False, "B")):
        assert tensordbg.diff(of[tied], ports[tied]).status == "same"
        found = first(tensordbg.diff(of[tied], ports[not tied]))
        assert f"the gradient that {other} takes a step by is a sum" in found.explanation
        assert "has a parameter of its own" in found.suggestion


SMALL, TURNED_FILTER = drawn(2, 4, 4, 8), drawn(3, 3, 6, 8)


def transposed_in_tensorflow() -> None:
    import tensorflow as tf

    net = tf.function(lambda x: tf.nn.relu(tf.nn.conv2d_transpose(x, TURNED_FILTER, (2, 8, 8, 6), 2, "SAME")))
    net(tf.constant(SMALL))


def transposed_in_torch(right: bool) -> Callable[[], None]:
    def program() -> None:
        weight, x = torch.tensor(TURNED_FILTER).permute(3, 2, 0, 1), torch.tensor(SMALL).permute(0, 3, 1, 2)
        if right:
            F.conv_transpose2d(x, weight, stride=2)[:, :, :8, :8].relu()
        else:
            F.conv_transpose2d(x, weight, stride=2, padding=1, output_padding=1).relu()

    return program


def test_a_transposed_convolution_that_pads_otherwise(tmp_path: Path) -> None:
    assert diff(tmp_path, transposed_in_tensorflow, transposed_in_torch(True)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", run(tmp_path / "c", transposed_in_torch(False))))
    assert found.explanation.endswith("(padding)")
    assert found.suggestion.startswith("compare the padding")
