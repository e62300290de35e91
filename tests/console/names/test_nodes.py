from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.names.nodes import consumers_of, control_inputs, find_node, inputs_of, outputs_of
from tensordbg.errors import UsageError


def test_of_what_a_node_computed_the_first_bad_one_counts(console: Console) -> None:
    node, others = find_node(console.opened, "Log", console.scope())
    assert node.event is not None
    assert console.opened.row(node.event).step == 1
    assert others == ()
    assert find_node(console.opened, "Log:0", console.scope())[0] == node


def test_steps_go_along_what_was_recorded(standing: Console) -> None:
    opened, scope = standing.opened, standing.scope()
    node, _ = find_node(opened, "Log", scope)
    (softmax,) = inputs_of(opened, node, scope)
    assert softmax.row is not None
    assert (softmax.name, softmax.row.step) == ("Softmax", 1)
    assert node.event in [each.event for each in consumers_of(opened, softmax)]


def test_where_nothing_was_recorded_along_the_graph(standing: Console) -> None:
    opened, scope = standing.opened, standing.scope()
    node, _ = find_node(opened, "AssignSubVariableOp", scope)
    assert node.event is None
    variable, value = inputs_of(opened, node, scope)
    assert variable.event is None
    assert value.row is not None
    assert value.row.step == 1
    assert consumers_of(opened, node) == []


def test_all_outputs_of_one_moment(standing: Console) -> None:
    node, _ = find_node(standing.opened, "Log", standing.scope())
    assert node.event is not None
    assert outputs_of(standing.opened, node.event) == [node.event]


def test_control_inputs_are_known_where_the_graph_was_kept(standing: Console) -> None:
    node, _ = find_node(standing.opened, "Log", standing.scope())
    assert control_inputs(standing.opened, node) == ()


def test_what_is_not_there_is_said_so(standing: Console) -> None:
    with pytest.raises(UsageError, match=r"no node 'Lug' is in the trace; did you mean 'Log'"):
        find_node(standing.opened, "Lug", standing.scope())
