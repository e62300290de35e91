from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.names.layer_parts import at_or_below, fitting_layers, layer_parts, prefixes, short_paths
from tensordbg.analysis.program.description import read_program
from tensordbg.model import TensorRef
from tests.analysis.graphs.test_layers import layered_trace

PATHS = ("net", "net/a", "net/a/dense", "net/b", "net/b/dense", "net/out")


def test_the_operations_of_each_layer(tmp_path: Path) -> None:
    parts = layer_parts(read_program(layered_trace(tmp_path / "trace")))
    assert list(parts) == ["model", "model/log", "model/scale"]
    assert (parts["model/log"].class_name, parts["model/log"].inner) == ("Log", {1: "Log"})
    assert parts["model"].outputs == parts["model/log"].outputs == {TensorRef(1, 0): 0}
    assert parts["model/scale"].inner == {4: "mul"}


@pytest.mark.parametrize(
    ("wanted", "fitting"),
    [
        ("net/a", ["net/a"]),
        ("dense", ["net/a/dense", "net/b/dense"]),
        ("b/dense", ["net/b/dense"]),
        ("ense", []),
        ("den*", ["net/a/dense", "net/b/dense"]),
        ("net/?", ["net/a", "net/b"]),
    ],
)
def test_layers_that_fit(wanted: str, fitting: list[str]) -> None:
    assert fitting_layers(PATHS, wanted) == fitting


def test_short_paths_are_ends_that_no_other_has() -> None:
    assert short_paths(PATHS) == {
        "net": "net", "net/a": "a", "net/a/dense": "a/dense", "net/b": "b", "net/b/dense": "b/dense", "net/out": "out",
    }  # fmt: skip
    assert short_paths(("a", "b/a")) == {"a": "a", "b/a": "b/a"}


def test_what_lies_below_and_above() -> None:
    assert at_or_below(PATHS, "net/a") == ["net/a", "net/a/dense"]
    assert at_or_below(("net", "net_1/a"), "net") == ["net"]
    assert list(prefixes("a/b/c")) == ["a", "a/b", "a/b/c"]
