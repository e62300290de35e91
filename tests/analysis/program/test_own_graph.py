from __future__ import annotations

import numpy as np

from tensordbg.analysis.program.own_graph import edges_within_graphs, function_within_graph
from tensordbg.model import NONE, Function, Site, TensorRef

SITES = {number: Site(number, "op", "Log", graph, NONE) for number, graph in ((0, 0), (1, 0), (2, 1), (5, NONE))}


def test_edges_that_lead_out_of_a_graph_are_left_out() -> None:
    inside = [[1, 0, 0, 0], [1, 1, 0, 2]]
    outside = [[1, 0, 2, 0], [2, 0, 1, 0], [1, 0, 5, 0], [1, 0, 4, 0], [4, 0, 3, 0], [1, 0, -1, 0], [1, 0, 99, 0]]
    edges = np.array([*inside, *outside], dtype=np.int64)
    assert edges_within_graphs(edges, SITES).tolist() == inside
    assert edges_within_graphs(edges, {}).tolist() == []


def test_outputs_and_arguments_of_another_graph_are_not_known() -> None:
    function = Function(3, "f", "f_3", 0, arguments=(0, 2, 99), outputs=(TensorRef(1, 4), TensorRef(2, 0)))
    own = function_within_graph(function, SITES)
    assert own.arguments == (0, NONE, NONE)
    assert own.outputs == (TensorRef(1, 4), TensorRef(NONE, 0))
