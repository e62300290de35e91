"""Where the trail ends at something that can't be seen, a note says what that is and what to do; else nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.why import why
from tensordbg.trace.program.facts import Loaded
from tests.analysis.builder import FILE, Graph, TraceBuilder, inf, nan


def notes(
    op_type: str,
    *sites: str,
    source: str = "",
    given: str = "",
    function: str = "step",
    loaded: Loaded | None = None,
) -> list[str]:
    """The notes on a program of one step, in which one operation gives a NaN.

    Args:
        op_type: The operation's type.
        sites: Types of further operations of the program.
        source: Its text.
        given: The type of an operation that the first takes from, and of which nothing is recorded.
        function: What the step is called.
        loaded: What the program had loaded.
    """
    trace = TraceBuilder(source.splitlines())
    trace.facts = replace(trace.facts, loaded=loaded)
    step = trace.function(function)
    for each in sites:
        step.op(each)
    return _noted(trace, step, op_type, given)


def _noted(trace: TraceBuilder, step: Graph, op_type: str, given: str) -> list[str]:
    taken = [step.op(given)] if given else []
    made = step.op(op_type, *taken, line=7)
    step.returns(made)
    trace.run(step).event(made, [1.0, nan])
    return list(why(trace).notes)


@pytest.mark.parametrize(
    ("op_type", "said"),
    [
        ("PyFunc", "what NumPy or plain Python computes in a function that a graph calls is not recorded"),
        ("IteratorGetNext", "its input pipeline was made before the recording began"),
        ("QueueDequeueV2", "nothing recorded had put anything into this queue"),
        ("Unstage", "nothing recorded had put anything into this staging area"),
        ("XlaCallModule", "a module that XLA runs as a whole, such as one exported from JAX, is not recorded inside"),
    ],
)
def test_the_trail_ends_there(op_type: str, said: str) -> None:
    (note,) = notes(op_type)
    assert note.startswith(f"{op_type}:0 ({op_type}, {FILE}:7): ")
    assert said in note


@pytest.mark.parametrize(
    ("op_type", "seen"),
    [("IteratorGetNext", "TensorSliceDataset"), ("IteratorGetNext", "OneShotIterator"), ("Unstage", "Stage")],
)
def test_what_was_recorded_needs_no_note(op_type: str, seen: str) -> None:
    assert notes(op_type, seen) == []


def test_a_generator_is_named_as_such() -> None:
    (note,) = notes("PyFunc", function="generator_next_fn")
    assert "a Python generator computes before it yields is not recorded" in note


def test_elements_from_workers() -> None:
    (note,) = notes("IteratorGetNext", "DataServiceDatasetV4")
    assert "computed by the workers of a tf.data service" in note


def test_an_operation_behind_an_engine() -> None:
    (note,) = notes("Reshape", given="TRTEngineOp")
    assert "what TRTEngineOp runs, an engine of TensorRT, is not recorded inside" in note


def test_an_operation_of_the_programs_own() -> None:
    source = "import tensorflow as tf\nown = tf.load_op_library('own.so')"
    (note,) = notes("ZeroOut", source=source)
    assert f"operations of its own along ({FILE}:2); if ZeroOut is one of them" in note
    assert notes("ZeroOut") == []


def test_an_operation_is_known_by_the_library_that_was_loaded() -> None:
    loaded = Loaded(operations=frozenset({"ZeroOut"}))
    (note,) = notes("ZeroOut", loaded=loaded)
    assert "ZeroOut is an operation that the program brings along" in note
    assert notes("Other", source="own = tf.load_op_library('own.so')", loaded=loaded) == []


@pytest.mark.parametrize(
    ("line", "libraries", "said"),
    [
        ("import torch", ["torch"], f"the program also computes with PyTorch ({FILE}:2), which"),
        ("import helpers", ["torch"], "the program also has loaded PyTorch, which"),
        ("import torch", [], None),
        ("tf.lite.Interpreter(path)", [], f"computes with the TFLite interpreter ({FILE}:2)"),
    ],
)
def test_a_library_is_known_by_what_was_loaded(line: str, libraries: list[str], said: str | None) -> None:
    trace = TraceBuilder(["import tensorflow as tf", line])
    trace.facts = replace(trace.facts, loaded=Loaded(frozenset(libraries)))
    step = trace.function("step")
    given = step.argument("x")
    trace.run(step).event(given, [1.0, inf])
    found = why(trace).notes
    assert [said in note for note in found if said] == ([True] if said else [])
    assert bool(found) == (said is not None)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("    model = tf.lite.Interpreter(model_path=path)", "the TFLite interpreter"),
        ("from jax import numpy as jnp", "JAX"),
        ("import torch", "PyTorch"),
    ],
)
def test_a_value_that_another_library_may_have_made(line: str, name: str) -> None:
    trace = TraceBuilder(["import tensorflow as tf", line])
    step = trace.function("step")
    given = step.argument("x")
    trace.run(step).event(given, [1.0, inf])
    (note,) = why(trace).notes
    assert f"the program also computes with {name} ({FILE}:2), which is not recorded" in note


def test_a_call_that_was_not_looked_into() -> None:
    trace = TraceBuilder()
    step, inner = trace.function("step"), trace.function("inner")
    inner.returns(inner.op("Log", inner.argument("x")))
    moved = step.op("Reshape", *step.call(inner, step.op("Const")))
    step.returns(moved)
    trace.run(step).event(moved, [nan])
    (note,) = why(trace).notes
    assert "what inner computes inside is not recorded" in note


def test_nothing_is_said_of_what_is_known() -> None:
    trace = TraceBuilder(["import torch"])
    step = trace.function("step")
    given = step.argument("x")
    log = step.op("Log", given)
    step.returns(log)
    run = trace.run(step)
    run.event(given, [0.0])
    run.event(log, [-inf])
    assert why(trace).notes == ()
