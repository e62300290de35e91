"""An error that is made larger on purpose: the same variables are trained by a loss that makes it smaller."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.losses.rising_loss import negated_losses
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder
from tests.analysis.warnings.network import studied

DIFFERENTIATED = '{"differentiated": [0]}'


def trained(graph: Graph, held: list[int], negative: bool) -> dict[TensorRef, float]:
    """`loss = mean(error(x + w0 + w1, y))` or its negative, with updates; gives the number of each tensor."""
    x, y = graph.argument("x"), graph.argument("y")
    total = x
    for k, each in enumerate(held):
        total = graph.op("AddV2", total, graph.read(each, f"w{k}"))
    wrong = graph.op("SquaredDifference", total, y, name="wrong")
    mean = graph.op("Mean", wrong, name="mean", attributes="{}" if negative else DIFFERENTIATED)
    loss = graph.op("Neg", mean, name="loss", attributes=DIFFERENTIATED) if negative else mean
    back = graph.op("Tile", loss, name="gradient_tape/Tile", gradient_of=wrong.site)
    for k, each in enumerate(held):
        update = graph.op("Mul", back, graph.op("Const", name="rate"), name=f"update_{k}")
        graph.write(each, update, op_type="AssignSubVariableOp")
    graph.returns(loss)
    return {wrong: 1.0, mean: 1.0} | ({loss: -1.0} if negative else {})


@pytest.mark.parametrize("opponent", ["none", "of the same", "of others"])
def test_an_error_that_another_loss_makes_smaller_may_grow(opponent: str) -> None:
    trace = TraceBuilder()
    held = [trace.variable(f"w{k}", "[8]", trainable=True) for k in range(4)]
    graphs = [trace.function("hide")]
    numbers = [trained(graphs[0], held[:2], negative=True)]
    if opponent != "none":
        graphs.append(trace.function("tell"))
        numbers.append(trained(graphs[1], held[:2] if opponent == "of the same" else held[2:], negative=False))
    for step in range(30):
        for graph, signs in zip(graphs, numbers, strict=True):
            run = trace.run(graph)
            for ref, sign in signs.items():
                size = sign * (1.0 + 0.1 * step)
                run.event(ref, np.full(8, size) if trace.sites[ref.site]["name"] == "wrong" else np.array(size))
    assert len(negated_losses(studied(trace))) == (opponent != "of the same")
