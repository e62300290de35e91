from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.report.graphs.layers import layers_table
from tests.analysis.graphs.test_layers import layered_trace
from tests.report.rendering import rendered


def test_tree_of_outputs(tmp_path: Path) -> None:
    layers = list_layers(layered_trace(tmp_path / "trace"))
    heading, model, log, scale = rendered(layers_table(layers))
    assert heading.split() == [
        "layer", "class", "output", "events", "not", "finite", "min", "mean", "max", "zeros",
    ]  # fmt: skip
    assert model.split() == ["model", "Model", "float32[2,", "3]", "2", "1", "-1", "0", "1", "0%"]
    assert log.startswith("  log")
    assert scale.split() == ["scale", "Scale", "–"]


def test_inner_tensors(tmp_path: Path) -> None:
    layers = list_layers(layered_trace(tmp_path / "trace"))
    lines = rendered(layers_table(layers, [layers[2]]))
    assert lines[-1].split()[:4] == ["·", "scale/mul:0", "Mul", "float32[2,"]
    assert len(lines) == 5


def test_functions_are_named_where_there_are_several(tmp_path: Path) -> None:
    layers = list_layers(layered_trace(tmp_path / "trace"))
    inner = layers[2].inner
    changed = [layers[1], type(layers[2])(layers[2].path, "Scale", inner, ())]
    heading, log, scale = rendered(layers_table(changed))
    assert "in" in heading.split()
    assert "train" in log.split()
    assert "inner" in scale.split()
