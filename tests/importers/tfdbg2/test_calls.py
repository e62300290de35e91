from __future__ import annotations

from tensordbg.importers.tfdbg2.calls import UNKNOWN, Call, find_calls
from tensordbg.model import CallKind
from tests.importers.tfdbg2.logbuilder import LogBuilder
from tests.importers.tfdbg2.samples import loop_and_branch, nested_functions
from tests.importers.tfdbg2.test_graphs import graphs_of


def calls_of(log: LogBuilder, graph: str = "train") -> dict[str, Call]:
    return {call.name: call for call in find_calls(graphs_of(log))[graph]}


def test_loops_and_branches_find_their_graphs(log: LogBuilder) -> None:
    loop_and_branch(log)
    calls = calls_of(log)
    assert calls["while"].kind is CallKind.WHILE
    assert calls["while"].called == ("cond", "body")
    assert calls["cond"].kind is CallKind.IF
    assert calls["cond"].called == ("then", "else")


def test_arguments_of_a_branch_are_told_by_their_names(log: LogBuilder) -> None:
    loop_and_branch(log)
    assert calls_of(log)["cond"].arguments == {"then": (0,), "else": (1, 0)}


def test_calls_of_functions_are_seen_by_what_takes_their_results(log: LogBuilder) -> None:
    nested_functions(log)
    calls = calls_of(log)
    assert calls["StatefulPartitionedCall"].called == ("inner",)
    assert calls["StatefulPartitionedCall_1"].called == ("backward",)


def test_captured_values_are_known_and_others_are_not(log: LogBuilder) -> None:
    nested_functions(log)
    assert calls_of(log)["StatefulPartitionedCall"].inputs == (UNKNOWN, ("Square", 0))


def test_a_backward_pass_takes_what_the_forward_pass_kept(log: LogBuilder) -> None:
    nested_functions(log)
    assert calls_of(log)["StatefulPartitionedCall_1"].inputs == (UNKNOWN, ("StatefulPartitionedCall", 1))


def test_variables_are_captured_by_the_caller_as_well(log: LogBuilder) -> None:
    log.graph("train", "train")
    log.operation("train", "Placeholder", "x")
    log.graph("inner", "inner", "train")
    log.operation("inner", "Placeholder", "y")
    log.operation("inner", "Placeholder", "a/resource", stack=["c"])
    log.operation("inner", "Placeholder", "b/resource", stack=["c"])
    log.operation("inner", "NoOp", "NoOp", outputs=0)
    log.operation("train", "Placeholder", "782", stack=["c"])
    log.operation("train", "Placeholder", "784", stack=["c"])
    log.operation("train", "Neg", "Neg", ["StatefulPartitionedCall:0"])
    assert calls_of(log)["StatefulPartitionedCall"].inputs == (UNKNOWN, ("782", 0), ("784", 0))


def test_calls_are_made_in_the_order_of_their_numbers(log: LogBuilder) -> None:
    log.graph("train", "train")
    for name in ("one", "two"):
        log.graph(name, name, "train")
        log.operation(name, "NoOp", "NoOp", outputs=0)
    log.operation("train", "Sub", "Sub", ["PartitionedCall_1:0", "PartitionedCall:0"])
    calls = calls_of(log)
    assert list(calls) == ["PartitionedCall", "PartitionedCall_1"]
    assert [call.called for call in calls.values()] == [("one",), ("two",)]


def test_a_function_called_twice(log: LogBuilder) -> None:
    log.graph("train", "train")
    log.graph("inner", "inner", "train")
    log.operation("inner", "NoOp", "NoOp", outputs=0)
    log.operation("train", "Neg", "a", ["PartitionedCall:0"])
    log.operation("train", "Neg", "b", ["PartitionedCall_1:0"])
    calls = calls_of(log)
    assert [call.called for call in calls.values()] == [("inner",), ("inner",)]
    assert calls["PartitionedCall"].given < calls["PartitionedCall_1"].given


def test_what_was_only_tried_out_is_not_called(log: LogBuilder) -> None:
    log.graph("train", "train")
    log.graph("scratch", "tmp", "train")
    log.operation("scratch", "Less", "Less")
    log.operation("train", "Neg", "a", ["PartitionedCall:0"])
    assert calls_of(log) == {}


def test_a_switch_finds_all_its_branches(log: LogBuilder) -> None:
    log.graph("train", "train")
    for number in range(3):
        log.graph(f"b{number}", f"switch_case_branch{number}_{number + 5}", "train")
    log.operation("train", "Case", "switch_case", ["x:0"])
    (call,) = calls_of(log).values()
    assert call.called == ("b0", "b1", "b2")
    assert [call.step(part) for part in range(3)] == [f"switch_case/branch{part}" for part in range(3)]
