from __future__ import annotations

import pytest

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.function_choice import choose_function, parts_of_functions
from tensordbg.errors import UsageError
from tests.analysis.builder import TraceBuilder
from tests.analysis.graphs.sample_graphs import nested


def test_the_function_that_was_called_most() -> None:
    trace = TraceBuilder()
    first, second = trace.function("step", "step_1"), trace.function("step", "step_2")
    for graph in (first, second, second):
        trace.run(graph)
    program = read_program(trace)
    chosen = choose_function(trace, program, "step")
    assert (chosen.function.function, chosen.calls, [each.function for each in chosen.others]) == (1, 2, [0])
    assert choose_function(trace, program, "0").function.function == 0
    assert choose_function(trace, program, "step_1").function.function == 0


def test_parts_are_not_meant() -> None:
    trace, outer = nested()
    program = read_program(trace)
    assert {program.functions[number].runtime_name for number in parts_of_functions(program)} == {
        "cond_1", "body_1", "then_1", "else_1",
    }  # fmt: skip
    chosen = choose_function(trace, program, "outer")
    assert (chosen.function.function, chosen.others) == (outer.number, ())


def test_unknown_function() -> None:
    trace, _ = nested()
    with pytest.raises(UsageError, match=r"^no function 'oter'; choose one of outer, or a number$"):
        choose_function(trace, read_program(trace), "oter")
    with pytest.raises(UsageError, match="an eager program has no graph"):
        choose_function(TraceBuilder(), read_program(TraceBuilder()), "f")
