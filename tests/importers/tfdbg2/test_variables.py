from __future__ import annotations

from tensordbg.importers.tfdbg2.executions import Execution, Record
from tensordbg.importers.tfdbg2.program import Program
from tensordbg.importers.tfdbg2.variables import Variables, reads, writes
from tensordbg.model import NONE, Variable
from tests.importers.tfdbg2.logbuilder import LogBuilder
from tests.importers.tfdbg2.test_graphs import graphs_of


def program_with_variable(log: LogBuilder) -> Program:
    """`train(x)` reads a variable in a loop and writes it at its end."""
    log.graph("train", "train")
    log.operation("train", "Placeholder", "x")
    log.operation("train", "Placeholder", "read/resource")
    log.graph("cond", "while_cond_1", "train")
    log.operation("cond", "Placeholder", "while/read/resource")
    log.graph("body", "while_body_2", "train")
    log.operation("body", "Placeholder", "while/read/resource")
    log.operation("body", "ReadVariableOp", "while/read", ["while/read/resource:0"])
    log.operation("train", "While", "while", ["read/resource:0"])
    log.operation("train", "AssignVariableOp", "Assign", ["read/resource:0", "x:0"], outputs=0)
    return Program.of(graphs_of(log))


def test_kinds_of_operations() -> None:
    assert reads("ReadVariableOp") and not reads("Identity")
    assert writes("AssignSubVariableOp") and writes("ResourceApplyAdam") and not writes("ReadVariableOp")


def test_a_handle_is_followed_into_loops(log: LogBuilder) -> None:
    program = program_with_variable(log)
    graphs = program.graphs.all
    variables = Variables(program)
    variables.learn(Execution(Record("__inference_train_1", inputs=(50, 60)), graphs["train"], 1.0))
    assert variables.rows == [Variable(0, "variable 0", "", "null")]
    assert variables.of_argument(graphs["train"], "read/resource") == 0
    assert variables.of_argument(graphs["train"], "x") == NONE
    assert variables.of_operation(graphs["body"], ("while/read/resource",)) == (0,)


def test_an_argument_that_stands_for_several_variables(log: LogBuilder) -> None:
    program = program_with_variable(log)
    train = program.graphs.all["train"]
    variables = Variables(program)
    for handle in (60, 61):
        variables.learn(Execution(Record("train", inputs=(50, handle)), train, 1.0))
    assert variables.of_argument(train, "read/resource") == NONE
    assert variables.of_operation(train, ("read/resource",)) == (0, 1)


def test_eager_operations_share_the_variables_of_functions(log: LogBuilder) -> None:
    program = program_with_variable(log)
    variables = Variables(program)
    eager = Execution(Record("AssignVariableOp", inputs=(60, 8)), None, 1.0)
    variables.learn(eager)
    variables.learn(Execution(Record("train", inputs=(50, 60)), program.graphs.all["train"], 2.0))
    assert variables.touched(eager) == (0,)
    assert len(variables.rows) == 1
