from __future__ import annotations

from tensordbg.model import NONE, CallKind, Function, Site
from tensordbg.trace.calls import CallGraph
from tensordbg.trace.catalog import Catalog


def call_graph() -> CallGraph:
    """Function 0 calls 1, 1 and 2 call each other, 3 is another pass over the graph of 1, 4 stands alone."""
    calls = {0: ("f1",), 1: ("f2", "unknown"), 2: ("f1",), 4: ()}
    sites = {
        10 + graph: Site(10 + graph, "call", "X", graph, 0, call=CallKind.CALL, called=calls[graph]) for graph in calls
    }
    functions = {number: Function(number, "f", f"f{number}", 1 if number == 3 else number) for number in range(5)}
    return CallGraph(Catalog(sites=sites, functions=functions))


def test_reaches_what_is_called_however_deep() -> None:
    assert call_graph().reach(0) == {0, 1, 2}
    assert call_graph().reach(4) == {4}


def test_a_pass_made_for_a_gradient_has_the_graph_of_the_plain_function() -> None:
    assert call_graph().reach(3) == {1, 2}


def test_unknown_functions_and_sites() -> None:
    assert call_graph().reach(77) == {77}
    assert call_graph().graph_of(77) == NONE
    assert call_graph().graph_of(12) == 2
