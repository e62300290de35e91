from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage, kept_graphs, read_graph, stage_named

BUILT, RUN = GraphStage.BUILT, GraphStage.RUN


def test_graphs_are_found_again(tmp_path: Path) -> None:
    files = GraphFiles(tmp_path)
    assert files.write(3, RUN, b"run")
    assert files.write(3, BUILT, b"built")
    assert files.write(12, BUILT, b"other")
    assert kept_graphs(tmp_path) == {3: (BUILT, RUN), 12: (BUILT,)}
    assert read_graph(tmp_path, 3, RUN) == b"run"
    assert read_graph(tmp_path, 12, RUN) is None
    assert kept_graphs(tmp_path / "none") == {}


def test_no_more_than_the_budget(tmp_path: Path) -> None:
    files = GraphFiles(tmp_path, budget=100)
    assert files.write(0, BUILT, b"small")
    assert not files.write(1, BUILT, os.urandom(200))
    assert files.failure == "graphs took more than 100 bytes"
    assert not files.write(2, BUILT, b"small")
    assert kept_graphs(tmp_path) == {0: (BUILT,)}


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "graphs").write_text("in the way")
    files = GraphFiles(tmp_path)
    assert not files.write(0, BUILT, b"small")
    assert files.failure.startswith(f"{tmp_path / 'graphs'}: ")


def test_stages_by_name() -> None:
    assert stage_named("run") is RUN
    with pytest.raises(UsageError, match=r"^stage 'ran' is not known; choose one of built, run, recorded$"):
        stage_named("ran")


def test_damage_is_a_trace_error(tmp_path: Path) -> None:
    GraphFiles(tmp_path).write(0, BUILT, b"small" * 100)
    path = tmp_path / "graphs" / "000000-built.pb.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TraceError, match="restore the file from a copy"):
        read_graph(tmp_path, 0, BUILT)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(TraceError, match="restore the file from a copy"):
        read_graph(tmp_path, 0, BUILT)


def test_a_forked_child_writes_nothing(tmp_path: Path) -> None:
    files = GraphFiles(tmp_path)
    child = os.fork()
    if not child:
        os._exit(int(files.write(0, BUILT, b"small")))
    assert os.waitpid(child, 0)[1] == 0
    assert kept_graphs(tmp_path) == {}
