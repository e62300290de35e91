"""A long training with many tensors, as columns: too large to be built row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tensordbg.trace.schema import TENSORS
from tests.analysis.builder import TraceBuilder

_WORDS = {"device": "CPU:0", "dtype": "float32", "shape": "[1]"}


def long_trace(steps: int) -> TraceBuilder:
    """A step of 95 tensors with a call, a variable and gradients; from 70 % on, all but the input are NaN."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f, inner = trace.function("train_step"), trace.function("inner")
    x, value = f.argument("x"), inner.argument("a")
    called = [value := inner.op("Relu", value) for _ in range(25)]
    inner.returns(value)
    read = f.read(w)
    outer = [x, read, f.op("MatMul", x, read)]
    for _ in range(46):
        outer.append(f.op("AddV2", outer[-1], outer[-2]))
    (value,) = f.call(inner, outer[-1])
    backward = [value := f.op("Mul", value, value, name="gradient_tape/Mul") for _ in range(21)]
    f.write(w, value, op_type="AssignSubVariableOp")
    f.returns(value)
    sites = [ref.site for ref in (*outer, *called, *backward)]
    paths = [0] * len(outer) + [1] * len(called) + [0] * len(backward)
    trace.paths["PartitionedCall"] = 1
    for _ in range(steps):
        trace.run(f)
    step = np.repeat(np.arange(steps), len(sites))
    site = np.tile(sites, steps)
    bad = np.arange(len(site)) >= steps * 7 // 10 * len(sites) + len(sites) // 3
    bad &= site != x.site
    trace.given["tensors"] = _tensors(step, site, np.tile(paths, steps), bad)
    return trace


_NOT_THERE = ("iteration", "elements", "sketch")
"""Columns without a value in any row."""


def _tensors(step: Any, site: Any, path: Any, bad: Any) -> pa.Table:
    count = len(site)
    given = {
        "event": np.arange(count), "execution": step + 1, "step": step, "site": site, "path": path,
        "nan": bad.astype(int), "first_bad": np.where(bad, 0, -1),
        "positive": (~bad).astype(int), "size": np.ones(count, dtype=int),
    }  # fmt: skip
    columns = []
    for column in TENSORS:
        if column.name in _NOT_THERE:
            columns.append(pa.nulls(count, column.type))
        elif column.name in _WORDS:
            indices = pa.array(np.zeros(count, dtype=np.int32))
            columns.append(pa.DictionaryArray.from_arrays(indices, [_WORDS[column.name]]))
        else:
            columns.append(pa.array(given.get(column.name, np.zeros(count, dtype=int))).cast(column.type))
    return pa.table(columns, schema=TENSORS)
