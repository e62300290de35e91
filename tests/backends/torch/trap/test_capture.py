from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.backends.torch.trap.capture import STEP_FILE, array_of
from tensordbg.capture.reader import Capture, open_capture

torch = pytest.importorskip("torch")


class Net(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))

    def forward(self, x: Any, weight: Any = None, more: Any = None) -> Any:
        return self.body(x) * weight * (more or {"by": 1})["by"]


def captured(folder: Path, **options: Any) -> tuple[Capture, Net, dict[str, Any], list[Any]]:
    """A capture of the second step of two, each of two calls; and the model before and what it was given."""
    torch.manual_seed(3)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    given: list[Any] = []
    with tensordbg.trap(folder / "captures", on_bad="skip", **options) as trap:
        for bad in (False, True):
            before = {name: each.clone() for name, each in net.state_dict().items()}
            before["random.cpu"] = torch.get_rng_state()
            optimizer.zero_grad()
            for _ in range(2):
                torch.manual_seed(7)
                before.setdefault("random", torch.get_rng_state())
                x = torch.randn(5, 3)
                x[1, 1] = float("nan") if bad else 1.0
                given.append(x)
                net(x, weight=torch.ones(4), more={"by": 2}).square().mean().backward()
            optimizer.step()
    return open_capture(trap.captures[0]), net, before, given


def test_it_has_all_that_the_step_began_with(tmp_path: Path) -> None:
    capture, net, before, given = captured(tmp_path)
    names = [each.tensor.name for each in capture.header.arguments]
    assert names == ["call0.x", "call0.weight", "call1.x", "call1.weight"]
    batch = capture.batch()
    assert np.array_equal(batch[0], given[2].numpy(), equal_nan=True)
    assert np.array_equal(batch[2], given[3].numpy(), equal_nan=True)
    values = capture.variables()
    stored = {each.tensor.name: values[each.argument] for each in capture.header.variables}
    for name, each in net.named_parameters():
        assert np.array_equal(stored[name], before[name].numpy())
        assert {f"optimizer.{name}.exp_avg", f"optimizer.{name}.exp_avg_sq"} <= stored.keys()
        assert each.requires_grad
    assert np.array_equal(stored["body.1.running_mean"], before["body.1.running_mean"].numpy())
    assert stored["random.cpu"].shape == before["random.cpu"].numpy().shape
    torch.set_rng_state(torch.from_numpy(stored["random.cpu"]))
    assert capture.header.function == "Net"
    assert capture.header.step == 1
    assert capture.header.frameworks == {"torch": torch.__version__}


def test_the_rest_is_json(tmp_path: Path) -> None:
    capture, *_ = captured(tmp_path)
    step = json.loads((capture.path / STEP_FILE).read_text())
    first = step["calls"][0]
    assert first["args"] == [{"tensor": 0}]
    assert first["kwargs"] == {"weight": {"tensor": 1}, "more": {"map": {"by": 2}}}
    assert first["training"] is True
    (group,) = step["optimizer"]["groups"]
    assert step["optimizer"]["class"] == "torch.optim.adam.Adam"
    assert group["lr"] == 0.01
    assert group["params"][0] == "body.0.weight"
    assert sorted(each.name for each in capture.path.iterdir()) == [
        "batch.safetensors",
        "capture.json",
        "graph.json",
        "graph.safetensors",
        "sources.jsonl",
        "stacks.jsonl",
        STEP_FILE,
        "variables.safetensors",
    ]


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    capture, *_ = captured(tmp_path, size=100)
    assert "body.0.weight takes 48 bytes, more than are left of the capture's size; give a larger --size" in (
        capture.header.notes
    )


def test_elements_of_all_kinds() -> None:
    half = array_of(torch.tensor([1.5, float("inf")], dtype=torch.bfloat16))
    assert half is not None
    assert half.dtype.name == "bfloat16"
    assert half.astype(np.float32).tolist() == [1.5, float("inf")]
    sparse = array_of(torch.eye(2).to_sparse())
    assert sparse is not None
    assert sparse.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert array_of(torch.empty(2, device="meta")) is None
