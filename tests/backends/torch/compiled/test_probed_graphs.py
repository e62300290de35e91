from __future__ import annotations

import pytest

from tensordbg.backends.torch.compiled.describing import Describer
from tensordbg.backends.torch.compiled.internals import PROBE, Stored
from tensordbg.backends.torch.compiled.probed_graphs import ProbedGraphs
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class Lowering:
    def __init__(self) -> None:
        from torch.fx.experimental.proxy_tensor import make_fx

        self.module = make_fx(lambda x: (x.exp().sum(), x.max()), tracing_mode="fake")(torch.ones(3))
        self.graph = self.module.graph
        self.is_backward = False


def test_each_stored_result_has_a_line_by_which_its_graph_is_found() -> None:
    graphs, lowering = ProbedGraphs(Describer(Catalog())), Lowering()
    assert graphs.of_lowering(lowering) is None
    nodes = {node.name: node for node in lowering.graph.nodes}
    first = graphs.lines(lowering, [Stored("buf0", nodes["exp"], 0), Stored("buf1", nodes["output"], 0)])
    graph = graphs.of_lowering(lowering)
    assert graph is not None
    site = graph.references[nodes["exp"]].site
    assert first == [f"{PROBE}({site}, 0, buf0)"]
    assert graphs.of_site(site) is graph
    assert graphs.of_site(site + 1000) is None
    graphs.lines(lowering, [Stored("buf2", nodes["sum_1"], 0)])
    assert graphs.of_lowering(lowering) is graph
    assert graph.buffers == {(nodes["exp"], 0): "buf0", (nodes["sum_1"], 0): "buf2"}
