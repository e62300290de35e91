from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.model import Health
from tensordbg.trace.reader import TraceReader, open_trace
from tests.trace.builder import Tensor, TraceBuilder, small_program


def said(path: str, kind: str, *output_of: tuple[Any, ...]) -> str:
    return json.dumps({"path": path, "class": kind, "output_of": output_of})


def layered_trace(folder: Path, steps: int = 2) -> TraceReader:
    """The operation `Log` is the output of `model/log` and of `model`; `mul` is inside of `model/scale`."""
    program = small_program()
    layers = {
        1: said("model/log", "Log", ("model/log", "Log", 0, 0), ("model", "Model", 0, 0)),
        4: said("model/scale", "Scale"),
    }
    build = TraceBuilder(folder)
    build.describe(replace(program, sites=[replace(site, layer=layers.get(site.site, "")) for site in program.sites]))
    for step in range(steps):
        call = build.begin(site=5, function=0, step=step)
        bad = Health(size=6, nan=1, first_bad=2, min=-1.0, max=1.0)
        build.graph_tensor(step + 70, 1, Tensor(health=bad if step == 1 else Health(size=6, zero=3, min=0.0, max=2.0)))
        build.graph_tensor(step + 70, 4)
        build.end(call)
    build.finish()
    return open_trace(folder)


def test_layers_with_their_outputs_and_inner_tensors(tmp_path: Path) -> None:
    model, log, scale = list_layers(layered_trace(tmp_path / "trace"))
    assert [(layer.path, layer.name, layer.class_name, layer.depth) for layer in (model, log, scale)] == [
        ("model", "model", "Model", 0),
        ("model/log", "log", "Log", 1),
        ("model/scale", "scale", "Scale", 1),
    ]
    (output,) = log.outputs
    assert output == model.outputs[0]
    assert (output.last.tensor, output.last.step, output.events, output.non_finite) == ("Log:0", 1, 2, 1)
    assert [tensor.last.tensor for tensor in scale.inner] == ["mul:0"]
    assert (model.inner, scale.outputs) == ((), ())


def test_history(tmp_path: Path) -> None:
    layers = list_layers(layered_trace(tmp_path / "trace", steps=60))
    history = layers[1].outputs[0].history()
    assert [event.step for event in history] == list(range(60))
    assert history[1].health is not None
    assert history[1].health.nan == 1


def test_layers_that_never_ran_are_left_out(tmp_path: Path) -> None:
    assert list_layers(layered_trace(tmp_path / "trace", steps=0)) == ()


def test_program_without_layers(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    assert list_layers(open_trace(build.finish())) == ()
