"""A layer with its training, over some steps: what a rule looks at, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.warnings.study.study import Study, study
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder

Given = Mapping[str, Callable[[int], Any]]

STEPS = 30


def network(
    given: Given | None = None,
    steps: int = STEPS,
    units: int = 5,
    trace: TraceBuilder | None = None,
    **variables: Any,
) -> TraceBuilder:
    """`loss = mean(relu(x @ kernel + bias))`, its gradients, and updates of both variables.

    Args:
        given: For some operations, by name, the elements in each step; all others have healthy ones.
        steps: How often it runs.
        units: How wide the layer is.
        trace: What ran before; nothing by default.
        variables: Fields of both variables, such as `trainable`.
    """
    trace = trace or TraceBuilder()
    fields = {"trainable": True} | variables
    kernel, bias = trace.variable("kernel", f"[4, {units}]", **fields), trace.variable("bias", f"[{units}]", **fields)
    f = trace.function("train_step")
    x = f.argument("x")
    read, read_bias = f.read(kernel, "kernel"), f.read(bias, "bias")
    product = f.op("MatMul", x, read, line=11)
    total = f.op("BiasAdd", product, read_bias, line=11)
    relu = f.op("Relu", total, line=12)
    loss = f.op("Mean", relu, name="loss")
    tile = f.op("Tile", loss, name="gradient_tape/loss/Tile")
    slope = f.op("ReluGrad", tile, relu, name="gradient_tape/ReluGrad", gradient_of=relu.site)
    for_bias = f.op("BiasAddGrad", slope, name="gradient_tape/BiasAdd/BiasAddGrad")
    for_kernel = f.op("MatMul", x, slope, name="gradient_tape/MatMul/MatMul")
    rate = f.op("Const", name="rate")
    f.write(kernel, f.op("Mul", for_kernel, rate, name="update"), op_type="AssignSubVariableOp")
    f.write(bias, f.op("Mul", for_bias, rate, name="update_bias"), op_type="AssignSubVariableOp")
    f.returns(loss)
    chance = np.random.default_rng(0)
    wide = dict.fromkeys((product, total, relu, tile, slope), (8, units))
    shapes: dict[TensorRef, tuple[int, ...]] = {x: (8, 4), read: (4, units), read_bias: (units,), **wide}
    shapes |= {loss: (), for_bias: (units,), for_kernel: (4, units), rate: ()}
    for step in range(steps):
        run = trace.run(f)
        for ref, shape in shapes.items():
            make = (given or {}).get(trace.sites[ref.site]["name"])
            run.event(ref, chance.normal(size=shape) if make is None else make(step))
    return trace


def trained_by(f: Graph, held: Sequence[Any], loss: TensorRef, of: int) -> TensorRef:
    """Adds the gradient of a loss, which belongs to a site, and updates of variables by it; returns the gradient."""
    back = f.op("Tile", loss, name="gradient_tape/Tile", gradient_of=of)
    for k, each in enumerate(held):
        f.write(each, f.op("Mul", back, f.op("Const", name="rate"), name=f"update_{k}"), op_type="AssignSubVariableOp")
    f.returns(loss)
    return back


def studied(trace: TraceBuilder) -> Study:
    """What the rules see of a trace."""
    return study(trace, read_program(trace), trace.count("tensors"))


def series_named(seen: Study, name: str) -> int:
    """The series of an operation."""
    return next(k for k in range(len(seen.series)) if seen.site(k).name == name)
