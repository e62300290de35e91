from __future__ import annotations

from typing import Any

from tensordbg.analysis.alerts.placement import placement_alerts
from tensordbg.analysis.finding import Alert
from tensordbg.analysis.program.description import read_program
from tensordbg.trace.program.facts import End, TraceFacts
from tests.analysis.builder import TraceBuilder

BOTH = ("/device:CPU:0", "/device:GPU:0")
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def trace_on(devices: tuple[str, ...] = BOTH) -> TraceBuilder:
    trace = TraceBuilder()
    trace.facts = TraceFacts(end=End(0), devices=devices, without_gpu_kernel=frozenset({"Betainc"}))
    return trace


def alerts(trace: TraceBuilder) -> list[Alert]:
    return list(placement_alerts(trace, read_program(trace)))


def compute(trace: TraceBuilder, op_type: str = "MatMul", on: str = "CPU:0", **fields: Any) -> None:
    """One operation in a function, run twice."""
    graph = trace.function("f")
    made = graph.op(op_type, **{"line": 7, **fields})
    for _ in range(2):
        trace.run(graph).event(made, [1.0, 2.0])
        trace.events[-1]["device"] = on


def test_operation_that_the_program_put_there() -> None:
    trace = trace_on()
    compute(trace, device="/device:CPU:0")
    (alert,) = alerts(trace)
    assert (alert.kind, alert.function, alert.tensor) == ("placement", "f", "MatMul:0")
    assert alert.source is not None
    assert alert.source.line == 7
    assert alert.explanation == (
        "MatMul at train.py:7 ran on the CPU although the program sees a GPU: the program asked for it"
    )
    assert alert.suggestion == "take out the tf.device around it, if the CPU is not meant"
    assert alert.evidence == {
        "asked": "/device:CPU:0",
        "tensors": 2,
        "operations": 1,
        "reason": "the program asked for it",
    }


def test_other_reasons() -> None:
    trace = trace_on()
    compute(trace, "Relu", GPU)
    compute(trace, "Betainc")
    compute(trace, "ReadVariableOp", reads=[0])
    compute(trace, "Tanh")
    assert [(alert.tensor, alert.evidence["reason"]) for alert in alerts(trace)] == [
        ("Betainc:0", "it has no kernel for a GPU"),
        ("ReadVariableOp:0", "its variable lies there"),
        ("Tanh:0", "nothing in the program asks for it"),
    ]


def test_operations_of_one_line_are_one_alert() -> None:
    trace = trace_on()
    for _ in range(3):
        compute(trace, device="/device:CPU:0")
    (alert,) = alerts(trace)
    assert (alert.evidence["operations"], alert.evidence["tensors"]) == (3, 6)


def test_without_a_gpu_all_is_well() -> None:
    for devices in ((), ("/device:CPU:0", "/device:CPU:1")):
        trace = trace_on(devices)
        compute(trace, device="/device:CPU:0")
        assert not alerts(trace)


def test_what_belongs_on_the_cpu() -> None:
    trace = trace_on()
    compute(trace, "Relu", GPU)
    compute(trace, "MatMul", dtype="int32")
    compute(trace, "Const")
    compute(trace, "IteratorGetNext")
    compute(trace, "EagerPyFunc")
    trace.function("g").argument("x")
    trace.eager("Input", values=[1.0])
    assert not alerts(trace)


def test_functions_of_input_pipelines_belong_there() -> None:
    trace = trace_on()
    graph = trace.function("Dataset_map_f")
    trace.event(-1, -1, graph.op("Sin", device="/device:CPU:0"), [1.0])
    assert not alerts(trace)


def test_where_the_recorder_could_not_tell() -> None:
    trace = trace_on()
    compute(trace, "MatMul")
    assert not alerts(trace)
    trace.eager("MatMul", values=[1.0])
    assert [alert.tensor for alert in alerts(trace)] == ["MatMul:0"]


def test_what_ran_on_the_gpu_at_least_once_is_no_alert() -> None:
    trace = trace_on()
    compute(trace, "MatMul", GPU)
    trace.events[-1]["device"] = "CPU:0"
    assert not alerts(trace)
