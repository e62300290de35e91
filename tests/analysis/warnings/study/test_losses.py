"""What training makes smaller, and how far it did."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.warnings.study.losses import find_losses, losses_of, part_left
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, series_named, studied


@pytest.mark.parametrize(
    ("values", "left"),
    [
        (lambda step: 4.0, 1.0),
        (lambda step: 4.0 if step < 2 else 1.0, 0.25),
        (lambda step: -4.0 + 0.1 * step, 0.3),
        (lambda step: 0.0, 1.0),
    ],
)
def test_the_part_that_is_left(values: Callable[[int], float], left: float) -> None:
    seen = studied(network({"loss": values}))
    (loss,) = find_losses(seen)
    assert loss.series == series_named(seen, "loss")
    assert part_left([loss]) == pytest.approx(left)
    assert losses_of(seen, [loss], int(seen.port[series_named(seen, "Relu")])) == [loss]
    assert losses_of(seen, [loss], int(seen.port[series_named(seen, "rate")])) == []


def test_nothing_is_known_of_few_steps() -> None:
    seen = studied(network({"loss": lambda step: 0.1**step}, steps=3))
    assert part_left(find_losses(seen)) == 1.0
    assert part_left([]) == 1.0


def test_a_sum_over_batches_is_no_loss() -> None:
    trace = TraceBuilder()
    weight = trace.variable("weight", "[2]", trainable=True)
    total = trace.variable("total", "[]", trainable=False)
    f = trace.function("train_step")
    read = f.read(weight)
    loss = f.op("Mean", read, name="loss")
    added = f.op("AddV2", f.read(total), loss, name="added")
    f.write(total, added)
    f.write(weight, f.op("Mul", loss, read, name="gradient_tape/loss/Mul"), op_type="AssignSubVariableOp")
    for step in range(10):
        run = trace.run(f)
        for ref, value in ((read, [1.0, 2.0]), (loss, 1.5), (added, 1.5 * step)):
            run.event(ref, value)
    seen = studied(trace)
    assert [seen.site(loss.series).name for loss in find_losses(seen)] == ["loss"]
