"""Networks that no optimizer has: a layer that was forgotten, a teacher, a judge, a model that is to be fooled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.warnings.gradients.unchanged import unchanged_variables
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder
from tests.analysis.warnings.network import studied

Forward = Callable[[Graph, TensorRef, TensorRef, TensorRef, TensorRef], TensorRef]
"""Makes the loss of x, y, what is trained and what is not."""


def forgotten(forward: Forward) -> bool:
    """Whether the variable is told that nothing writes, over 12 steps in which the other one changes."""
    trace = TraceBuilder()
    trained, still = (trace.variable(name, "[4]", trainable=True) for name in ("trained", "still"))
    f = trace.function("train_step")
    x, y = f.argument("x"), f.argument("y")
    read, fixed = f.read(trained, "trained"), f.read(still, "still")
    loss = forward(f, x, y, read, fixed)
    slope = f.op("Mul", loss, f.op("Identity", fixed), name="gradient_tape/Mul", gradient_of=loss.site)
    f.write(trained, slope, op_type="AssignSubVariableOp")
    f.returns(loss)
    for step in range(12):
        run = trace.run(f)
        for site in trace.sites:
            moves = site["name"] not in ("still", "Identity")
            if site["op_type"] not in ("AssignSubVariableOp", "VarHandleOp"):
                run.event(TensorRef(site["site"], 0), [0.5 + 0.01 * step * moves] * 4)
    return [each.variable for each in unchanged_variables(studied(trace))] == [still]


def head(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("SquaredDifference", f.op("MatMul", f.op("MatMul", x, trained), still), y)


def body(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("SquaredDifference", f.op("MatMul", f.op("MatMul", x, still), trained), y)


def bias(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("SquaredDifference", f.op("AddV2", f.op("MatMul", x, trained), still), y)


def branch(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    both = f.op("AddV2", f.op("MatMul", x, trained), f.op("MatMul", x, still))
    return f.op("Square", f.op("Sub", both, y))


def likelihoods(f: Graph, x: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("Softmax", f.op("AddV2", f.op("MatMul", x, trained), f.op("MatMul", x, still)))


def cross_entropy(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("Mul", y, f.op("Log", likelihoods(f, x, trained, still)))


def chosen(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("GatherV2", f.op("Log", likelihoods(f, x, trained, still)), y)


def distilled(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    own = f.op("Log", f.op("Softmax", f.op("MatMul", x, trained)))
    soft = f.op("Mul", f.op("Softmax", f.op("MatMul", x, still)), own)
    return f.op("AddV2", soft, f.op("Mul", y, own))


def preferred(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    own, before = (f.op("LogSoftmax", f.op("MatMul", x, each)) for each in (trained, still))
    return f.op("Mul", y, f.op("Log", f.op("Sigmoid", f.op("Sub", own, before))))


def teacher(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("SquaredDifference", f.op("MatMul", x, still), f.op("MatMul", x, trained))


def target(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    wanted = f.op("AddV2", y, f.op("Max", f.op("MatMul", x, still)))
    return f.op("Square", f.op("Sub", wanted, f.op("MatMul", x, trained)))


def judge(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    made = f.op("MatMul", x, trained)
    return f.op("SquaredDifference", f.op("MatMul", made, still), f.op("MatMul", y, still))


def fooled(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("SquaredDifference", f.op("MatMul", f.op("AddV2", x, trained), still), y)


def painted(f: Graph, x: TensorRef, y: TensorRef, trained: TensorRef, still: TensorRef) -> TensorRef:
    return f.op("Neg", f.op("Mean", f.op("MatMul", trained, still)))


@pytest.mark.parametrize("forward", [head, body, bias, branch, cross_entropy, chosen])
def test_a_part_of_the_model_was_forgotten(forward: Forward) -> None:
    assert forgotten(forward)


@pytest.mark.parametrize("forward", [teacher, target, judge, fooled, painted, distilled, preferred])
def test_a_network_that_nobody_wants_to_train(forward: Forward) -> None:
    assert not forgotten(forward)
