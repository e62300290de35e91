"""What the error that ended a program tells of the operation that could not be built."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from tensordbg.console.names.failed_node import FailedProgram, failed_eager_node, stated_inputs, unbuilt_node
from tensordbg.console.names.node import Node
from tensordbg.model import NONE, Site, StatedInput, StatedTensor
from tensordbg.trace.program.facts import Failure

GIVEN = (StatedInput("Relu", "float32", (2, 3)), StatedInput("w", "float32", (-1, 5)))
TENSORS = (
    StatedTensor("Relu:0", "Relu", "float32", (2, 3), inputs=(2,)),
    StatedTensor("w:0", "Placeholder", "float32", (-1, 5)),
    StatedTensor("x:0", "Placeholder", "float32", None),
)


def opened(function: int = NONE, **told: Any) -> FailedProgram:
    failure = Failure("ValueError", "no", 7, **told)
    site = Site(7, "MatMul", "MatMul", function, NONE)
    fake = SimpleNamespace(facts=SimpleNamespace(failure=failure), program=SimpleNamespace(sites={7: site}))
    return cast(FailedProgram, fake)


def test_it_is_found_by_its_name() -> None:
    assert unbuilt_node(opened(inputs=GIVEN), "MatMul") == Node("MatMul", "MatMul", 7)
    assert unbuilt_node(opened(inputs=GIVEN), "Relu") is None
    assert unbuilt_node(opened(), "MatMul") is None


def test_it_is_found_where_it_ran_eagerly_but_not_in_a_function() -> None:
    assert failed_eager_node(opened(inputs=GIVEN, execution=3), "MatMul") == Node("MatMul", "MatMul", 7)
    assert failed_eager_node(opened(3, inputs=GIVEN, execution=3), "MatMul") is None


def test_its_inputs_lead_back() -> None:
    trace = opened(inputs=GIVEN, tensors=TENSORS)
    relu, w = stated_inputs(trace, Node("MatMul", "MatMul", 7)) or []
    assert (relu.tensor, relu.op_type, relu.stated) == ("Relu:0", "Relu", "float32[2, 3]")
    assert w.stated == "float32[?, 5]"
    (x,) = stated_inputs(trace, relu) or []
    assert (x.tensor, x.stated) == ("x:0", "float32 of unknown shape")
    assert stated_inputs(trace, x) == []
    assert stated_inputs(trace, Node("Log", "Log", 3)) is None


def test_where_python_held_none_the_message_tells() -> None:
    found = stated_inputs(opened(inputs=GIVEN), Node("MatMul", "MatMul", 7)) or []
    assert [(each.name, each.stated) for each in found] == [("Relu", "float32[2, 3]"), ("w", "float32[?, 5]")]
