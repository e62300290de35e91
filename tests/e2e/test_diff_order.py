"""`tdbg diff` where values hold the same elements in another order: sketches tell, and the elements of small values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison
from tensordbg.health.reference import sketch

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

_DRAWN = np.random.default_rng(11)


def recorded(folder: Path, change: str = "", size: int = 12, sketched: bool = True) -> Path:
    """Records a small network on squares; without sketches only what is smaller than 4 by 4 has an order."""
    drawn = np.random.default_rng(5)
    x, weight, head = (torch.tensor(drawn.normal(size=(size, size)).astype("float32")) for _ in range(3))
    with tensordbg.record(folder, sketch=sketched):
        h = torch.relu(x @ (weight.T if change == "weight" else weight))
        h = torch.tanh(h.T if change == "transposed" else h)
        h = torch.sort(h, 0 if change == "axis" else 1).values
        h = torch.sigmoid(h) @ head
        torch.exp(h.T if change == "result" else h)
    return folder


def compared(folder: Path, change: str, **options: Any) -> Comparison:
    return tensordbg.diff(recorded(folder / "a", **options), recorded(folder / "b", change, **options))


BEGUN = {"transposed": "aten::tanh", "axis": "aten::sort", "result": "aten::exp"}
"""By what is changed the operation behind which the order is another."""


@pytest.mark.parametrize("change", BEGUN)
@pytest.mark.parametrize(("size", "sketched"), [(12, True), (4, False)])
def test_the_operation_is_named_behind_which_the_order_is_another(
    tmp_path: Path, change: str, size: int, sketched: bool
) -> None:
    found = compared(tmp_path, change, size=size, sketched=sketched).first
    assert found is not None
    assert (found.kind, found.added) == ("value", True)
    assert found.a is not None
    assert found.b is not None
    assert (found.a.view.op_type, found.b.view.op_type) == (BEGUN[change], BEGUN[change])
    assert "in another order, though what goes in lies in the same" in found.explanation


def test_without_sketches_the_next_product_tells(tmp_path: Path) -> None:
    found = compared(tmp_path, "axis", sketched=False).first
    assert found is not None
    assert found.b is not None
    assert found.b.view.op_type == "aten::mm"
    assert compared(tmp_path / "other", "result", sketched=False).status == "same"


def test_a_weight_that_is_not_transposed_is_found_at_its_product(tmp_path: Path) -> None:
    found = compared(tmp_path, "weight").first
    assert found is not None
    assert found.b is not None
    assert found.b.view.op_type == "aten::mm"


def test_a_layer_that_keeps_its_weight_the_other_way_is_the_same(tmp_path: Path) -> None:
    x, weight = (_DRAWN.normal(size=(12, 12)).astype("float32") for _ in range(2))
    for name in ("formula", "layer"):
        layer = torch.nn.Linear(12, 12, bias=False)
        kept = torch.tensor(weight.T.copy() if name == "layer" else weight, requires_grad=True)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(weight.T.copy()))
        used = layer.weight if name == "layer" else kept
        optimizer = torch.optim.SGD([used], 0.1)
        with tensordbg.record(tmp_path / name, sketch=True):
            for _ in range(2):
                optimizer.zero_grad()
                h = layer(torch.tensor(x)) if name == "layer" else torch.tensor(x) @ kept
                h.tanh().square().sum().backward()
                optimizer.step()
    assert tensordbg.diff(tmp_path / "formula", tmp_path / "layer").status == "same"


def test_time_first_or_batch_first_is_no_difference(tmp_path: Path) -> None:
    steps = torch.tensor(_DRAWN.normal(size=(6, 6, 6)).astype("float32"))
    gates, head = (torch.tensor(_DRAWN.normal(size=(6, 6)).astype("float32")) for _ in range(2))
    for name in ("batch", "time"):
        with tensordbg.record(tmp_path / name, sketch=True):
            h = torch.tanh((steps if name == "batch" else steps.transpose(0, 1)) @ gates)
            (torch.nn.functional.layer_norm(h, (6,)) @ head).square().mean()
    assert tensordbg.diff(tmp_path / "batch", tmp_path / "time").status == "same"


def test_what_is_recorded_is_what_numpy_says(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    x = _DRAWN.normal(size=(9, 5)).astype("float32")

    with tensordbg.record(tmp_path / "tf", sketch=True):
        tf.function(lambda x: tf.tanh(x))(tf.constant(x))
    with tensordbg.record(tmp_path / "torch", sketch=True):
        torch.tensor(x.T.copy()).T.tanh()  # whose memory lies in another order
    for name, op_type in (("tf", "Tanh"), ("torch", "aten::tanh")):
        trace = tensordbg.open(tmp_path / name)
        site = next(each["site"] for each in trace.table("sites").to_pylist() if each["op_type"] == op_type)
        (row,) = [each for each in trace.table("tensors").to_pylist() if each["site"] == site]
        wanted = sketch(np.tanh(x))
        np.testing.assert_allclose([row["sum_abs"], *row["sketch"]], wanted, rtol=1e-5, atol=1e-5)
