from __future__ import annotations

from dataclasses import replace

from tensordbg.model import NONE, CallKind, Function, Site
from tensordbg.trace.program.calls import CallGraph
from tensordbg.trace.program.catalog import Catalog


def catalog() -> Catalog:
    """Function 0 calls 1, 1 and 2 call each other, 3 is another pass over the graph of 1, 4 stands alone."""
    calls = {0: ("f1",), 1: ("f2", "unknown"), 2: ("f1",), 4: ()}
    sites = {
        10 + graph: Site(10 + graph, "call", "X", graph, 0, call=CallKind.CALL, called=calls[graph]) for graph in calls
    }
    functions = {number: Function(number, "f", f"f{number}", 1 if number == 3 else number) for number in range(5)}
    return Catalog(sites=sites, functions=functions)


def call_graph() -> CallGraph:
    return CallGraph(catalog())


def test_reaches_what_is_called_however_deep() -> None:
    assert call_graph().direct(0) == {0, 1, 2}
    assert call_graph().direct(4) == {4}


def test_a_pass_made_for_a_gradient_has_the_graph_of_the_plain_function() -> None:
    assert call_graph().direct(3) == {1, 2}


def test_unknown_functions_and_sites() -> None:
    assert call_graph().direct(77) == {77}
    assert call_graph().graph_of(77) == NONE
    assert call_graph().graph_of(12) == 2


def test_functions_of_pipelines_run_beside_the_call_and_so_does_what_they_call() -> None:
    known = catalog()
    given = replace(known.sites[10], site=20, op_type="ParallelMapDatasetV2", function=4, called=("f1",))
    calls = CallGraph(replace(known, sites={**known.sites, 20: given}))
    assert (calls.direct(4), calls.piped(4)) == ({4}, {1, 2})
    assert (calls.direct(0), calls.piped(0)) == ({0, 1, 2}, frozenset())


def test_a_pipeline_within_a_pipeline_runs_beside_the_call_too() -> None:
    known = catalog()
    outer = replace(known.sites[10], site=20, op_type="FlatMapDataset", function=4, called=("f0",))
    inner = replace(known.sites[10], op_type="MapDataset")
    calls = CallGraph(replace(known, sites={**known.sites, 10: inner, 20: outer}))
    assert (calls.direct(4), calls.piped(4)) == ({4}, {0, 1, 2})
