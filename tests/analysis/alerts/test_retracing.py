from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tensordbg.analysis.alerts.retracing import retracing_alerts
from tensordbg.analysis.finding import Alert
from tests.analysis.alerts.traces import functions_of, tensor, thing, traced, value
from tests.analysis.builder import TraceBuilder


def alerts(given: Sequence[dict[str, dict[str, str]]], calls: int = 1, **more: Any) -> list[Alert]:
    """The alerts of a function traced for these arguments, each trace called so often."""
    trace = TraceBuilder()
    for number, parameters in enumerate(given):
        graph = traced(trace, parameters, **{name: values[number] for name, values in more.items()})
        for _ in range(calls):
            trace.run(graph)
    return list(retracing_alerts(functions_of(trace)))


def test_five_traces_are_no_alert() -> None:
    assert not alerts([{"n": value(n)} for n in range(5)])


def test_python_value() -> None:
    (alert,) = alerts([{"x": tensor(), "n": value(n)} for n in range(6)], calls=2)
    assert (alert.kind, alert.function, alert.tensor) == ("retracing", "train_step", "")
    assert alert.source is not None
    assert alert.source.line == 9
    assert alert.explanation == (
        "train_step was traced 6 times in 12 calls, because its argument n was another Python value each time: "
        "0, 1, 2, 3, 4, ..."
    )
    assert alert.suggestion.startswith("pass it as a tensor, such as tf.constant(n)")
    assert alert.evidence == {
        "traces": 6,
        "calls": 12,
        "argument": "n",
        "changed": "Python value",
        "changes": 5,
        "values": ["0", "1", "2", "3", "4"],
    }


def test_two_arguments_that_kept_changing_are_both_named() -> None:
    shapes = [{"x": tensor(shape=f"[{n}]"), "k": value(2)} for n in range(4)]
    (alert,) = alerts([*shapes, *({"x": tensor(shape="[3]"), "k": value(k)} for k in range(3, 7))])
    assert alert.explanation == (
        "train_step was traced 8 times in 8 calls, because its argument k was another Python value 4 times: "
        "2, 3, 4, 5, 6, ...; and its argument x changed its shape 3 times: "
        "float32[0], float32[1], float32[2], float32[3], ..."
    )
    assert alert.suggestion.startswith("k: pass it as a tensor, such as tf.constant(k)")
    assert "; x: give tf.function(reduce_retracing=True)" in alert.suggestion
    assert alert.evidence["others"] == ["x: shape x3"]


@pytest.mark.parametrize(
    ("given", "argument", "what"),
    [
        ([{"x": tensor(shape=f"[{n}]"), "k": value(1)} for n in range(6)], "x", "shape"),
        ([{"x": tensor(dtype)} for dtype in ("float16", "float32", "int8", "int16", "int32", "int64")], "x", "dtype"),
        ([{"x": tensor(), "model": thing(n)} for n in range(6)], "model", "object"),
        ([{"x": tensor(), "model": thing(7)} for n in range(6)], "model", "object"),
        ([{"x": {"kind": "structure", "text": f"({n})"}} for n in range(6)], "x", "structure"),
        ([{"x": tensor(shape=f"[{n}]"), "n": value(n // 3)} for n in range(6)], "x", "shape"),
        ([{"n": value(n), "flag": value(n % 2)} for n in range(6)], "n", "Python value"),
    ],
)
def test_names_the_argument_that_kept_changing(given: Any, argument: str, what: str) -> None:
    (alert,) = alerts(given)
    assert (alert.evidence["argument"], alert.evidence["changed"]) == (argument, what)


def test_second_trace_for_the_same_is_none() -> None:
    assert not alerts([{"n": value(n // 2)} for n in range(10)])


def test_functions_made_of_one_definition_are_different() -> None:
    shapes = [{"x": tensor(shape=f"[{n}]")} for n in range(12)]
    assert not alerts(shapes, python=list(range(12)))


def test_made_anew_each_time() -> None:
    (alert,) = alerts([{"x": tensor()}] * 7, gone=list(range(7)), python=list(range(7)))
    assert alert.explanation == (
        "a new traced function is made of train_step (train.py:2) each time: 7 were made for 7 calls, and each had to "
        "be traced"
    )
    assert alert.suggestion == "make the tf.function once, outside of the loop, and call that"
    assert alert.evidence == {"traces": 7, "calls": 7, "gone": 6}


def test_made_anew_but_called_often_is_no_alert() -> None:
    assert not alerts([{"x": tensor()}] * 7, calls=3, gone=list(range(7)))


def test_made_often_but_kept_is_no_alert() -> None:
    assert not alerts([{"x": tensor()}] * 7, python=list(range(7)))


def test_function_of_a_library_is_not_made_anew_by_the_user() -> None:
    assert not alerts([{"x": tensor()}] * 7, gone=list(range(7)), user=[False] * 7)


def test_what_python_never_called_is_no_alert() -> None:
    assert not alerts([{"n": value(n)} for n in range(9)], calls=0)


def test_nothing_that_is_known_changed() -> None:
    trace = TraceBuilder()
    graphs = [traced(trace, {"x": {"kind": "object", "text": "Thing"}} if n else {}) for n in range(6)]
    for graph in graphs:
        trace.run(graph)
    (alert,) = retracing_alerts(functions_of(trace))
    assert alert.evidence["changed"] == "structure"


def test_the_lines_of_all_calls_that_had_it_traced() -> None:
    (alert,) = alerts([{"n": value(n)} for n in range(6)], called_in=[9, 12, 12, 9, 12, 20])
    assert alert.explanation.endswith(
        "0, 1, 2, 3, 4, ...; traced by the calls at train.py:12 (3 times), train.py:9 (2 times), train.py:20"
    )
    assert alert.evidence["lines"] == ["train.py:12 x3", "train.py:9 x2", "train.py:20 x1"]


def test_of_many_lines_the_first_few_are_said() -> None:
    (alert,) = alerts([{"n": value(n)} for n in range(8)], called_in=list(range(10, 18)))
    assert alert.explanation.endswith("train.py:13, train.py:14 and 3 more lines")
    assert len(alert.evidence["lines"]) == 8  # type: ignore[arg-type]


def test_lines_that_make_a_function_anew() -> None:
    (alert,) = alerts([{"x": tensor()}] * 7, gone=list(range(7)), python=list(range(7)), called_in=[9] * 6 + [12])
    assert alert.explanation.endswith("each had to be traced; traced by the calls at train.py:9 (6 times), train.py:12")
