from __future__ import annotations

from tensordbg.importers.tfdbg2.graphs import Graphs, collect_graphs
from tensordbg.importers.tfdbg2.logs import find_logs
from tests.importers.tfdbg2.logbuilder import LogBuilder


def graphs_of(log: LogBuilder, capturing: frozenset[str] = frozenset({"c"})) -> Graphs:
    (found,) = find_logs(log.folder)
    return collect_graphs(found.events("graphs"), capturing)


def test_operations_in_the_order_of_their_creation(log: LogBuilder) -> None:
    log.function()
    graph = graphs_of(log).all["g1"]
    assert list(graph.operations) == ["x", "Log", "Identity", "NoOp"]
    assert graph.operations["Log"].inputs == (("x", 0),)
    assert [argument.name for argument in graph.arguments] == ["x"]
    assert graph.closed


def test_results_go_through_identities_at_the_end(log: LogBuilder) -> None:
    log.graph("g", "f")
    for name in ("Identity", "mine", "Identity_1", "scope/Identity_2"):
        log.operation("g", "Identity", name, ["x:0"])
    log.operation("g", "NoOp", "NoOp", outputs=0)
    graph = graphs_of(log).all["g"]
    assert graph.results(None) == (("Identity_1", 0), ("scope/Identity_2", 0))
    assert graph.results(1) == (("scope/Identity_2", 0),)


def test_results_of_a_backward_pass_are_what_nothing_takes(log: LogBuilder) -> None:
    log.graph("g", "__backward_f_9")
    log.operation("g", "Placeholder", "Placeholder")
    log.operation("g", "Neg", "Neg", ["Placeholder:0"])
    log.operation("g", "Mul", "Mul", ["Neg:0", "Neg:0"])
    graph = graphs_of(log).all["g"]
    assert graph.closed
    assert graph.results(None) == (("Mul", 0),)
    assert graph.results(2) == ()


def test_what_is_kept_for_the_backward_pass(log: LogBuilder) -> None:
    log.function("f", "f", "Log")
    log.graph("b", "__backward_f_9", "f")
    log.operation("b", "Placeholder", "Placeholder")
    log.operation("b", "Placeholder", "gradients/Mul_1/Log", stack=["a", "c"])
    log.operation("b", "Placeholder", "gradients/Reciprocal/x", stack=["c"])
    graphs = graphs_of(log)
    assert graphs.differentiated(graphs.all["b"]) is graphs.all["f"]
    assert graphs.all["f"].kept_for(graphs.all["b"]) == (("Log", 0), ("x", 0))


def test_names_in_another_graph(log: LogBuilder) -> None:
    log.function()
    graph = graphs_of(log).all["g1"]
    found = graph.named_in("while/deep/Log")
    assert found is not None and found.name == "Log"
    assert graph.named_in("while/Exp") is None


def test_a_circle_of_graphs_ends(log: LogBuilder) -> None:
    log.graph("a", "a", "b")
    log.graph("b", "b", "a")
    assert list(graphs_of(log).around("a")) == ["a", "b"]


def test_devices(log: LogBuilder) -> None:
    log.write("debugged_device", 1.0, device_name="/device:CPU:0", device_id=3)
    assert graphs_of(log).devices == {3: "/device:CPU:0"}


def test_a_strange_name_of_a_tensor(log: LogBuilder) -> None:
    log.operation("g", "Log", "Log", ["^control", "a:b", ":0", "x:99999999999"])
    slots = graphs_of(log).all["g"].operations["Log"].inputs
    assert slots == (("^control", 0), ("a:b", 0), (":0", 0), ("x", 2**15))
