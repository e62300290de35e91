"""A trace whose report says a little of everything."""

from __future__ import annotations

from tests.analysis.builder import TraceBuilder, inf, nan

SOURCE = """import tensorflow as tf


def loss(labels, probs):
    total = labels * tf.math.log(
        probs)
    return -tf.reduce_mean(total)

# the end""".splitlines()


def training() -> TraceBuilder:
    """The logarithm of 0 in step 3 ruins a variable; the same operation is an origin in no other step."""
    trace = TraceBuilder(SOURCE)
    w = trace.variable("w")
    f = trace.function("train_step")
    labels, read = f.argument("labels"), f.read(w)
    probs = f.op("Softmax", read, name="probs")
    log = f.op("Log", probs, line=6, within="loss")
    product = f.op("Mul", labels, log, line=5)
    loss = f.op("Neg", product)
    slope = f.op("Reciprocal", probs, name="gradient_tape/Reciprocal", line=7)
    hidden = f.op("Reciprocal", labels, name="Dropped")
    kept = f.op("Maximum", hidden)
    f.write(w, slope, op_type="AssignSubVariableOp")
    f.returns(loss, kept)
    for step in range(5):
        run = trace.run(f)
        low = 0.0 if step == 3 else 0.25 / (step + 1)
        bad = step == 4
        run.event(labels, [[1.0, 0.0]])
        run.event(read, [[nan, 0.0]] if bad else [[1.0, 2.0]])
        run.event(probs, [[nan, nan]] if bad else [[low, 1.0]])
        run.event(log, [[nan, nan]] if bad else [[-inf if step == 3 else -1.0, 0.0]])
        run.event(product, [[nan, nan]] if step >= 3 else [[-1.0, 0.0]])
        run.event(loss, nan if step >= 3 else 1.0)
        run.event(slope, [[nan, nan]] if bad else [[inf if step == 3 else 1.0, 1.0]])
        run.event(hidden, [[1.0, inf]])
        run.event(kept, [[1.0, 3.0]])
    return trace
