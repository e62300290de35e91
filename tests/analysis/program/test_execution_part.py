from __future__ import annotations

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.analysis.program.execution_part import made_from, part_of
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder


def chain() -> TraceBuilder:
    trace = TraceBuilder()
    run = trace.eager("Fill", values=[1.0])
    for _ in range(4):
        run = trace.eager("Exp", trace.output(run), values=[1.0])
    return trace


def test_an_execution_and_those_before_it_so_many_levels_back() -> None:
    trace = chain()
    executions = read_executions(trace, read_program(trace))
    assert made_from(executions, 3, levels=2, most=10).tolist() == [1, 2, 3]
    assert made_from(executions, 3, levels=9, most=10).tolist() == [0, 1, 2, 3]
    assert made_from(executions, 3, levels=9, most=2).tolist() == [2, 3]
    assert made_from(executions, NONE, levels=9, most=2).tolist() == []


def test_a_part_knows_what_lies_in_it_alone() -> None:
    trace = chain()
    executions = read_executions(trace, read_program(trace))
    part = part_of(executions, made_from(executions, 3, levels=1, most=10))
    assert part.number.tolist() == [3, 4]
    assert part.input_row.tolist() == [NONE, 0]
