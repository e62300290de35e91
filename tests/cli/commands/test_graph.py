from __future__ import annotations

from pathlib import Path

from tests.analysis.graphs.test_layers import layered_trace
from tests.cli.conftest import Invoke


def test_text(invoke: Invoke) -> None:
    said = invoke("graph", "train")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("train (function 0)")
    assert "call" in invoke("graph", "tdbg-traces", "train", "--depth", "all").out


def test_json_of_a_part(invoke: Invoke) -> None:
    graph = invoke("graph", "train", "--depth", "0", "--around", "x", "--hops", "1", "--json").json
    assert [node["name"] for node in graph["nodes"]] == ["x", "Log"]


def test_csv_of_a_part(invoke: Invoke) -> None:
    names, *rows = invoke("graph", "train", "--depth", "0", "--around", "x", "--hops", "1", "--csv").out.splitlines()
    assert names.startswith("name,op_type,depth,")
    assert [row.partition(",")[0] for row in rows] == ["x", "Log"]


def test_around_a_layer(invoke: Invoke, tmp_path: Path) -> None:
    layered = str(layered_trace(tmp_path / "layered").path)
    nodes = invoke("graph", layered, "model/log", "--hops", "1", "--json").json["nodes"]
    assert [node["name"] for node in nodes] == ["x", "Log", "call", "call/y"]


def test_export(invoke: Invoke, sample: Path) -> None:
    said = invoke("graph", "train", "--export", "graph.pb")
    assert (said.code, said.out) == (0, "graph.pb\n")
    assert said.err.startswith("tdbg: the trace holds only some of the operations' attributes")
    assert (sample.parents[1] / "graph.pb").stat().st_size > 100
    again = invoke("graph", "train", "--export", "graph.pb")
    assert (again.code, again.err) == (
        2,
        "tdbg: error: graph.pb: is there already, and nothing is overwritten; choose another name\n",
    )


def test_what_is_refused(invoke: Invoke) -> None:
    for words, error in {
        ("run", "--as", "run"): "no function 'run'; choose one of inner, train, or a number",
        (
            "train",
            "--as",
            "run",
        ): "no graph of 'train' as it ran is in tdbg-traces/sample; record with --graphs to have ",
        ("train", "--as", "run", "--around", "x"): "--around is for the graph as built; leave --as out",
        ("train", "--json", "--export", "a.pb"): "--export writes a file and prints no JSON; leave one of the two out",
        ("train", "--csv", "--export", "a.pb"): "--export writes a file and prints no CSV; leave one of the two out",
        ("train", "--depth", "x"): "invalid value for '--depth': 'x' is neither a number of levels nor 'all'",
    }.items():
        said = invoke("graph", *words)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith(f"tdbg: error: {error}"), said.err
