from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.console.console import Console
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import TensorName, find_nodes, find_tensor, parse_tensor, typed_tensor
from tensordbg.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Log", TensorName("Log", None, "")),
        ("Log:0", TensorName("Log", 0, "")),
        ("a/b_1:12[0, :]", TensorName("a/b_1", 12, "[0, :]")),
        ("x[..., -1]", TensorName("x", None, "[..., -1]")),
        ("batch['ids']", TensorName("batch['ids']", None, "")),
        ("batch['ids'][0]", TensorName("batch['ids']", None, "[0]")),
        ("Session.run(a:0):1", TensorName("Session.run(a:0)", 1, "")),
    ],
)
def test_names_are_taken_apart(typed: str, name: TensorName) -> None:
    assert parse_tensor(typed) == name


class Names:
    """A trace that knows a few names."""

    def __init__(self, *known: str) -> None:
        self._known = known

    def named(self, typed: str) -> Any:
        return SimpleNamespace(tensors=(typed,) if typed in self._known else ())


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("more[1]", TensorName("more[1]", None, "")),
        ("more[1][0]", TensorName("more[1]", None, "[0]")),
        ("more[1][0, :]", TensorName("more[1]", None, "[0, :]")),
        ("layers[0][2][-1]", TensorName("layers[0][2]", None, "[-1]")),
        ("x[1]", TensorName("x", None, "[1]")),
        ("more[7]", TensorName("more", None, "[7]")),
        ("more:0[1]", TensorName("more", 0, "[1]")),
    ],
)
def test_brackets_may_be_part_of_a_name(typed: str, name: TensorName) -> None:
    opened: Any = Names("more[0]", "more[1]", "layers[0]", "layers[0][2]", "x", "x[1]")
    assert typed_tensor(opened, typed) == name


def found(console: Console, typed: str, function: str = "") -> str:
    return find_tensor(console.opened, parse_tensor(typed), EVERYTHING, function).name


def test_whole_names_ends_of_names_and_variables(console: Console) -> None:
    assert found(console, "gradient_tape/Reciprocal") == "gradient_tape/Reciprocal:0"
    assert found(console, "Reciprocal:0") == "gradient_tape/Reciprocal:0"
    assert found(console, "dense/kernel").endswith("ReadVariableOp:0")
    assert found(console, "kernel") == found(console, "dense/kernel")
    assert found(console, "Log", "train_step") == "Log:0"


def test_a_whole_name_goes_before_the_end_of_another(console: Console) -> None:
    assert {console.opened.site(each).site.name for each in find_nodes(console.opened, "Log")} == {"Log"}


@pytest.mark.parametrize(
    ("typed", "function", "message"),
    [
        ("Lug", "", "no tensor 'Lug:0' was recorded; did you mean 'Log:0'"),
        ("xyzzy", "", "no tensor 'xyzzy:0' was recorded; `lt` lists the tensors"),
        ("Log", "predict", "no tensor 'Log:0' in a function 'predict' was recorded"),
        ("Identity", "", "of the node 'Identity' no tensor was recorded; `ni Identity` tells of it"),
    ],
)
def test_what_is_not_there_is_said_with_the_nearest(console: Console, typed: str, function: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        found(console, typed, function)
