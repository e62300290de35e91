from __future__ import annotations

import json

import pytest

from tensordbg.trace.program.described import is_attributes, is_layer, is_shape, is_tracing

PARAMETER = {"kind": "tensor", "text": "float32[8]", "dtype": "float32", "shape": "[8]"}
TRACING = {"python": 1, "file": "a.py", "line": 3, "user": True, "gone": 0, "parameters": {"x": PARAMETER}}
SPLIT = {"file": "a.py", "line": 5, "function": "step", "user": True, "reason": "Tensor.item()"}
LAYER = {"path": "dense", "class": "Dense", "output_of": [["dense", "Dense", 0, 0]]}


def test_what_is_written_is_right() -> None:
    assert is_layer("")
    assert is_layer(json.dumps(LAYER))
    assert is_tracing("")
    assert is_tracing(json.dumps(TRACING))
    assert is_tracing(json.dumps({**TRACING, "splits": [SPLIT, SPLIT]}))
    assert is_attributes('{"axis": 1}')
    assert is_shape("[2, 0, 3]")


@pytest.mark.parametrize(
    "wrong",
    [{"path": 3}, {"class": None}, {"output_of": {}}, {"output_of": [["a", "b", -1, 0]]}, {"output_of": [["a"]]}],
)
def test_a_layer_that_says_something_else(wrong: object) -> None:
    assert not is_layer(json.dumps({**LAYER, **wrong}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"python": "x"},
        {"user": 1},
        {"parameters": []},
        {"parameters": {"x": {}}},
        {"parameters": {"x": {"a": 1}}},
        {"splits": {}},
        {"splits": ["x"]},
        {"splits": [{"file": "a.py"}]},
        {"splits": [{**SPLIT, "line": "5"}]},
        {"splits": [{**SPLIT, "line": -1}]},
        {"splits": [{**SPLIT, "more": 1}]},
    ],
)
def test_a_tracing_that_says_something_else(wrong: object) -> None:
    assert not is_tracing(json.dumps({**TRACING, **wrong}))


@pytest.mark.parametrize(
    "text", ["", "3", "null", "[[", "[1.5]", "[true]", "[-1]", "[9223372036854775808]", "[" * 10**5]
)
def test_no_shape(text: str) -> None:
    assert not is_shape(text)
    assert not is_attributes(text)
    assert not is_layer(text or "x")
    assert not is_tracing(text or "x")
