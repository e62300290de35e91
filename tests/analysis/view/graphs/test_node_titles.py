from __future__ import annotations

import json

from tensordbg.analysis.program.call_tree import CallTree
from tensordbg.analysis.view.graphs.node_titles import node_title
from tensordbg.model import PYTHON_NAMES
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import tree_of


def named(trace: TraceBuilder, site: int, *names: str) -> None:
    """Has an argument bear names in the program's text."""
    trace.sites[site]["attributes"] = json.dumps({PYTHON_NAMES: [list(names)]})


def titles(tree: CallTree) -> dict[str, str]:
    return {key: node_title(tree, instance) for key, instance in tree.instances.items()}


def test_arguments_have_the_name_of_what_is_handed_in_through_loops_and_calls() -> None:
    trace = TraceBuilder()
    trace.variable("dense/kernel:0")
    inner, body, cond = trace.function("inner"), trace.function("body"), trace.function("cond")
    inner.returns(inner.op("MatMul", inner.argument("Placeholder"), inner.argument("88", variable=0)))
    state = body.argument("Placeholder_1")
    named(trace, state.site, "h", "state")
    kernel = body.argument("input_1")
    (made,) = body.call(inner, state, kernel)
    body.returns(made, kernel)
    tested = cond.argument("Placeholder"), cond.argument("redundant_placeholder0")
    cond.returns(cond.op("Less", tested[0], dtype="bool"))
    step = trace.function("step")
    x, handle = step.argument("x"), step.argument("88", variable=0)
    (looped, _) = step.loop(cond, body, x, handle)
    step.returns(looped)
    found = titles(tree_of(trace, "step"))
    assert found["while/body/Placeholder_1"] == "h"
    assert found["while/body/PartitionedCall/Placeholder"] == "h"
    assert found["while/body/PartitionedCall/88"] == found["88"] == found["while/body/input_1"] == "dense/kernel"
    assert found["while/cond/redundant_placeholder0"] == "dense/kernel"
    assert found["x"] == "x"
    assert found["while"] == "while"


def test_one_without_a_name_is_told_by_its_place() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    first, second = step.argument("Placeholder"), step.argument("scope/mask")
    step.returns(step.op("AddV2", first, second, name="scope/sum"))
    assert titles(tree_of(trace, "step")) == {
        "Placeholder": "argument 0",
        "scope/mask": "mask",
        "scope/sum": "sum",
        "Identity": "Identity",
    }
