from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import tensordbg
from tensordbg.backends.torch.attributes.settings import kept_settings, settings_of_call
from tensordbg.trace.reader import open_trace

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_what_says_where_numbers_lie_and_what_json_can_not_hold_is_left_out() -> None:
    given = {"eps": 1e-5, "dim": [0, 1], "dtype": 6, "keepdim": False, "value": 2.0, "max_norm": float("inf")}
    assert kept_settings(given) == {"eps": 1e-5, "dim": [0, 1], "keepdim": False, "factor": 2.0}


def test_defaults_stand_in_a_graph_for_what_a_call_does_not_name() -> None:
    gelu = torch.ops.aten.gelu.default
    assert settings_of_call(gelu, ("x",), {}) == {"approximate": "none"}
    assert settings_of_call(gelu, ("x",), {"approximate": "tanh"}) == {"approximate": "tanh"}
    assert settings_of_call(torch.ops.aten.sum.dim_IntList, ("x", (0,)), {}) == {"dim": [0], "keepdim": False}
    assert settings_of_call(len, (), {}) == {}


def recorded(path: Path) -> Counter[tuple[str, str]]:
    sites = open_trace(path).sites().values()
    return Counter((site.op_type, site.attributes) for site in sites if site.op_type.startswith("aten::"))


def test_sites_know_how_their_operation_was_asked_to_compute(tmp_path: Path) -> None:
    given = torch.ones(2, 3, 4, 4)
    with tensordbg.record(tmp_path / "a") as recording:
        torch.nn.functional.batch_norm(given, None, None, training=True, eps=0.25)
        torch.nn.functional.conv2d(given, torch.ones(6, 1, 2, 2), groups=3, stride=2)
        torch.nn.functional.gelu(given, approximate="tanh")
    found = {op_type: json.loads(attributes) for op_type, attributes in recorded(recording.path)}
    assert found["aten::native_batch_norm"] == {"training": True, "momentum": 0.1, "eps": 0.25}
    assert found["aten::gelu"] == {"approximate": "tanh"}
    convolution = found["aten::convolution"]
    assert (convolution["groups"], convolution["stride"], convolution["transposed"]) == (3, [2, 2], False)


def test_one_line_with_two_axes_is_two_sites_and_many_are_not_told_apart(tmp_path: Path) -> None:
    given = torch.ones(3, 8)
    with tensordbg.record(tmp_path / "a") as recording:
        for turn in range(12):
            torch.softmax(given, turn % 2)
            torch.roll(given, turn, 1)
    found = recorded(recording.path)
    assert found["aten::_softmax", '{"dim": 0}'] == found["aten::_softmax", '{"dim": 1}'] == 1
    rolled = {attributes for op_type, attributes in found if op_type == "aten::roll"}
    assert len(rolled) == 5
    assert "{}" in rolled


def test_fractions_that_change_are_not_told(tmp_path: Path) -> None:
    given = torch.ones(3, 8)
    with tensordbg.record(tmp_path / "a") as recording:
        for turn in range(3):
            torch.nn.functional.leaky_relu(given, 0.1 * turn)
            torch.nn.functional.elu(given, 0.5)
    found = recorded(recording.path)
    assert found["aten::leaky_relu", "{}"] == 1
    (elu,) = [json.loads(attributes) for op_type, attributes in found if op_type == "aten::elu"]
    assert elu == {"alpha": 0.5, "scale": 1, "input_scale": 1}


def test_an_earlier_recording_of_the_same_line_says_nothing_of_the_next(tmp_path: Path) -> None:
    found = []
    for name, slope in (("a", 0.1), ("b", 0.2)):
        with tensordbg.record(tmp_path / name) as recording:
            torch.nn.functional.leaky_relu(torch.ones(3), slope)
        found.append(recorded(recording.path))
    assert found[1]["aten::leaky_relu", '{"negative_slope": 0.2}'] == 1
    assert found[0]["aten::leaky_relu", '{"negative_slope": 0.1}'] == 1
