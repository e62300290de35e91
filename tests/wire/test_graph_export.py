from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode
from tensordbg.wire.graph_export import write_graph
from tensordbg.wire.graphdef import ExportedGraph

GRAPH = ExportedGraph(GraphDefMessage((GraphDefNode("x", "Placeholder"),)).encode(), True, 1)


def test_the_name_chooses_the_format(tmp_path: Path) -> None:
    binary = write_graph(GRAPH, tmp_path / "a" / "graph.pb")
    assert (binary.path.read_bytes(), binary.whole, binary.nodes) == (GRAPH.message, True, 1)
    text = write_graph(GRAPH, tmp_path / "graph.pbtxt").path.read_text()
    assert text == 'node {\n  name: "x"\n  op: "Placeholder"\n}\n'
    events = write_graph(GRAPH, tmp_path / "logs").path
    assert events.parent == tmp_path / "logs"
    assert events.name.startswith("events.out.tfevents.")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_text("mine")
    with pytest.raises(
        UsageError, match=r"graph.pb: is there already, and nothing is overwritten; choose another name$"
    ):
        write_graph(GRAPH, path)
    assert path.read_text() == "mine"
    with pytest.raises(UsageError, match="can't be written"):
        write_graph(GRAPH, path / "inside")


def test_a_damaged_graph_is_no_text(tmp_path: Path) -> None:
    damaged = ExportedGraph(GRAPH.message + b"\x0a\x7f", True, 1)
    with pytest.raises(TraceError, match=r"the graph is damaged \(.*\); write it as .pb, or record again"):
        write_graph(damaged, tmp_path / "graph.pbtxt")
    assert write_graph(damaged, tmp_path / "graph.pb").nodes == 1
