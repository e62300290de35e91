from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.failures.backward_pass import Recording
from tensordbg.analysis.failures.lost_gradient import lost_gradient
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.trace.program.facts import Failure
from tests.analysis.builder import TraceBuilder

NO_GRADIENT = "No gradients provided for any variable."


def told(trace: TraceBuilder, message: str = NO_GRADIENT) -> list[tuple[str, str]]:
    program = read_program(trace)
    recording = Recording(trace, program, read_executions(trace, program))
    found = lost_gradient(Failure("ValueError", message), recording, Locations(program))
    return [(each.tensor, each.explanation) for each in found]


def returned(numbers: list[float]) -> TraceBuilder:
    """A loss of an array with some numbers, behind a product that gave 1.5 and -2."""
    trace = TraceBuilder()
    trace.eager("MatMul", values=np.array([1.5, -2.0], np.float32))
    array = trace.eager("Input", values=np.array(numbers, np.float32))
    trace.eager("Mean", trace.output(array), values=np.float32(0.3))
    return trace


def test_an_array_with_the_numbers_of_what_was_computed_is_that() -> None:
    (only,) = told(returned([1.5, -2.0]))
    assert only == (
        "Input:0",
        "MatMul:0 of train.py:2 left TensorFlow as an array and came back as Input:0: no gradient goes through that",
    )


@pytest.mark.parametrize("numbers", [[1.5, -2.5], [1.0, 1.0], [1.5, -2.0, 0.0]])
def test_another_array_is_none(numbers: list[float]) -> None:
    assert told(returned(numbers)) == []


def test_no_other_error_is_looked_into() -> None:
    assert told(returned([1.5, -2.0]), "shapes do not match") == []
