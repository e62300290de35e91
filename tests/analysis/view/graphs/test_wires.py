from __future__ import annotations

from tensordbg.analysis.program.call_tree import call_tree
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.view.graphs.wires import Wire, wires_between
from tests.analysis.builder import TraceBuilder


def test_branches_are_given_all_but_what_decides() -> None:
    trace = TraceBuilder()
    then, other = trace.function("then"), trace.function("other")
    for branch, op_type in ((then, "Exp"), (other, "Neg")):
        branch.returns(branch.op(op_type, branch.argument("given")))
    f = trace.function("f")
    test, x = f.op("Greater", dtype="bool"), f.op("Sin")
    (chosen,) = f.cond(then, other, test, x)
    f.op("Cos", chosen)
    program = read_program(trace)
    closed = call_tree(program, program.functions[f.number], opens=lambda _: False)
    assert set(wires_between(closed)) == {
        Wire("Greater", 0, "cond", 0),
        Wire("Sin", 0, "cond", 1),
        Wire("cond", 0, "Cos", 0),
    }
    opened = set(wires_between(call_tree(program, program.functions[f.number])))
    assert opened >= {
        Wire("Greater", 0, "cond", 0),
        Wire("Sin", 0, "cond/then/given", 0),
        Wire("Sin", 0, "cond/else/given", 0),
        Wire("cond/then/Identity", 0, "cond", 0),
        Wire("cond/else/Identity", 0, "cond", 0),
        Wire("cond", 0, "Cos", 0),
    }
    assert Wire("Sin", 0, "cond", 1) not in opened
