from __future__ import annotations

from tensordbg.analysis.view.graphs.handed_on import handed_on
from tensordbg.analysis.view.graphs.wires import wires_between
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import model_step, tree_of


def test_through_arguments_results_and_identities_but_through_no_computation() -> None:
    trace = TraceBuilder()
    model_step(trace)
    tree = tree_of(trace, "step")
    wires = wires_between(tree)
    into = ("model_1/second_2/BiasAdd", 0)
    assert handed_on(tree, wires, {into}, ()) == {into, ("PartitionedCall/given", 0)}
    inside = ("PartitionedCall/part/mul", 0)
    out = {inside, ("PartitionedCall/Identity", 0), ("PartitionedCall", 0)}
    assert handed_on(tree, wires, {inside}, ()) == out
    # What was recorded speaks for itself.
    assert handed_on(tree, wires, {inside}, {"PartitionedCall/Identity"}) == {inside}
    assert handed_on(tree, wires, (), ()) == frozenset()
