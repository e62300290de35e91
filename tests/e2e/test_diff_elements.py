"""`tdbg diff` of traces that hold the elements: the error is measured, also by a second run of one operation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.report.diff_text import render
from tensordbg.wire.diff import diff_to_json

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F = torch.nn.functional


def trained(epsilon: float) -> None:
    torch.manual_seed(3)
    x, gamma = torch.randn(4, 6), torch.rand(6) + 1
    torch.nn.functional.layer_norm(x, (6,), gamma, None, epsilon).square().sum()


def test_the_elements_are_compared_where_they_were_kept(tmp_path: Path) -> None:
    for name, epsilon in (("a", 1e-3), ("b", 1e-1)):
        with tensordbg.record(tmp_path / name, detail="values"):
            trained(epsilon)
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.first is not None
    found = result.first.measured
    assert found is not None
    assert found.unequal == found.size == 24
    assert found.largest == pytest.approx(abs(found.a - found.b), rel=1e-6)
    assert 0.01 < found.largest < 0.5
    assert "the elements are at most" in render(result)


def test_nothing_is_measured_without_elements(tmp_path: Path) -> None:
    for name, epsilon in (("a", 1e-3), ("b", 1e-1)):
        with tensordbg.record(tmp_path / name):
            trained(epsilon)
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.first is not None
    assert result.first.measured is None


def network(x: Any, change: str) -> Any:
    gamma, weight = torch.rand(6) + 1, torch.randn(6, 6)
    h = F.layer_norm(x, (6,), gamma, None, 1e-1 if change == "epsilon" else 1e-3)
    h = F.leaky_relu(h, 0.2 if change == "slope" else 0.1) @ (weight.T if change == "transposed" else weight)
    h = torch.softmax(h * (0.25 if change == "constant" else 0.5), 0 if change == "axis" else -1)
    return h.square().sum()


def recorded(folder: Path, change: str = "", size: int = 4, **options: Any) -> Path:
    with tensordbg.record(folder, **options):
        torch.manual_seed(3)
        network(torch.randn(size, 6), change)
    return folder


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("reference") / "a", detail="values")


@pytest.mark.parametrize("change", ["epsilon", "slope", "axis", "constant"])
@pytest.mark.parametrize("detail", ["values", "health"])
def test_what_an_operation_adds_is_measured_by_the_inputs_of_the_reference(
    tmp_path: Path, reference: Path, change: str, detail: Any
) -> None:
    """Elements of B are not needed: its settings are, and what A was given."""
    result = tensordbg.diff(reference, recorded(tmp_path / "b", change, detail=detail))
    found = result.first
    assert found is not None
    assert found.rerun is not None
    assert (found.added, found.error) == (True, found.rerun.relative)
    assert diff_to_json(result)["first"]["rerun"]["largest"] == found.rerun.largest
    if found.measured is not None:
        assert found.rerun.largest == pytest.approx(found.measured.largest, rel=1e-5)
    assert "made there, as a second run measured" in render(result)


def test_an_input_in_another_order_is_measured_to_have_come_in(tmp_path: Path, reference: Path) -> None:
    result = tensordbg.diff(reference, recorded(tmp_path / "b", "transposed", detail="values"))
    found = result.first
    assert found is not None
    assert (found.added, found.b is not None and found.b.view.op_type) == (False, "aten::mm")
    assert found.rerun is not None
    assert found.rerun.relative == pytest.approx(0, abs=1e-6)
    assert found.error == pytest.approx(0.4, abs=0.1)
    assert "given A's inputs, B's operation makes what A has" in render(result)


def test_elements_of_small_values_are_always_there(tmp_path: Path) -> None:
    result = tensordbg.diff(recorded(tmp_path / "a", size=2), recorded(tmp_path / "b", "slope", size=2))
    assert result.first is not None
    assert result.first.rerun is not None
    assert result.first.added
    larger = tensordbg.diff(recorded(tmp_path / "c"), recorded(tmp_path / "d", "slope"))
    assert larger.first is not None
    assert (larger.first.rerun, larger.first.added) == (None, True)


def image_network(change: str) -> None:
    torch.manual_seed(3)
    x, kernel, scale = torch.randn(2, 4, 9, 8), torch.randn(6, 4, 3, 3), torch.rand(6) + 1
    reach = 2 if change == "dilation" else 1
    h = F.conv2d(x, kernel, None, 1, reach, reach)
    h = F.batch_norm(h, None, None, scale, scale, training=True, eps=0.5 if change == "epsilon" else 1e-3)
    F.max_pool2d(torch.relu(h), 2, 2, 0, 1).square().mean()


@pytest.mark.parametrize(("change", "op_type"), [("dilation", "convolution"), ("epsilon", "batch_norm")])
def test_convolutions_and_normalizations_are_run_again(tmp_path: Path, change: str, op_type: str) -> None:
    for name, made in (("a", ""), ("b", change)):
        with tensordbg.record(tmp_path / name, detail="values"):
            image_network(made)
    found = tensordbg.diff(tmp_path / "a", tmp_path / "b").first
    assert found is not None
    assert found.b is not None
    assert op_type in found.b.view.op_type
    assert found.rerun is not None
    assert found.measured is not None
    assert found.rerun.largest == pytest.approx(found.measured.largest, rel=1e-4)
    assert found.added


def test_a_convolution_is_run_again_with_the_inputs_of_another_layout(tmp_path: Path) -> None:
    import tensorflow as tf

    drawn = np.random.default_rng(1)
    images, kernel = (drawn.normal(size=size).astype("float32") for size in ((2, 9, 8, 4), (3, 3, 4, 6)))
    with tensordbg.record(tmp_path / "a", detail="values"):
        tf.reduce_sum(tf.nn.conv2d(tf.constant(images), tf.constant(kernel), 1, [[0, 0], [1, 1], [1, 1], [0, 0]]) ** 2)
    with tensordbg.record(tmp_path / "b", detail="values"):
        x, weight = torch.tensor(images).permute(0, 3, 1, 2), torch.tensor(kernel).permute(3, 2, 0, 1)
        F.conv2d(x, weight, None, 1, 2, 2).square().sum()
    found = tensordbg.diff(tmp_path / "a", tmp_path / "b").first
    assert found is not None
    assert found.rerun is not None
    assert found.measured is not None
    assert found.rerun.largest == pytest.approx(found.measured.largest, rel=1e-4)
    assert found.added
