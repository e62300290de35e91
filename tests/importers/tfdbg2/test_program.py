from __future__ import annotations

from tensordbg.importers.tfdbg2.program import Chain, Program, unrecorded
from tensordbg.model import NONE, TensorRef
from tests.importers.tfdbg2.logbuilder import LogBuilder
from tests.importers.tfdbg2.samples import loop_and_branch, nested_functions
from tests.importers.tfdbg2.test_graphs import graphs_of


def test_numbers_follow_the_order_of_creation(log: LogBuilder) -> None:
    nested_functions(log)
    program = Program.of(graphs_of(log))
    assert list(program.functions) == ["train", "inner", "backward"]
    names = list(program.sites["train"])
    assert names[:3] == ["x", "Square", "StatefulPartitionedCall/given"]
    assert names.index("StatefulPartitionedCall") + 1 == names.index("Neg")
    numbers = [number for sites in program.sites.values() for number in sites.values()]
    assert numbers == list(range(program.next_site))


def test_ways_into_loops_and_branches(log: LogBuilder) -> None:
    loop_and_branch(log)
    program = Program.of(graphs_of(log))
    frame = program.sites["train"]["while"] + 1
    assert program.chains("train", "train") == [Chain("", (), 0)]
    assert program.chains("body", "train") == [Chain("while/body", ("body",), frame)]
    assert program.chains("cond", "train") == [Chain("while/cond", ("cond",), frame)]
    assert [chain.path for chain in program.chains("else", "train")] == ["cond/else"]
    assert program.chains("train", "body") == []


def test_one_way_for_each_call(log: LogBuilder) -> None:
    log.graph("train", "train")
    log.graph("inner", "inner", "train")
    log.operation("inner", "NoOp", "NoOp", outputs=0)
    log.operation("train", "Neg", "a", ["PartitionedCall:0"])
    log.operation("train", "Neg", "b", ["PartitionedCall_1:0"])
    program = Program.of(graphs_of(log))
    assert [chain.path for chain in program.chains("inner", "train")] == ["PartitionedCall", "PartitionedCall_1"]


def test_references_and_names(log: LogBuilder) -> None:
    nested_functions(log)
    program = Program.of(graphs_of(log))
    train = program.graphs.all["train"]
    assert program.reference(train, ("Square", 2)) == TensorRef(program.sites["train"]["Square"], 2)
    assert program.reference(train, ("nothing", 0)).site == NONE
    assert program.runtime_name(train) == "train_0"
    call = program.call_of(train, "StatefulPartitionedCall")
    assert call is not None and unrecorded(call) == "StatefulPartitionedCall/given"
    assert program.call_of(train, "Neg") is None
