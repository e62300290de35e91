"""Cases made of plain numbers: what an operation was given and what came out."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np

from tensordbg.analysis.causes.case import Case, unravelled
from tensordbg.analysis.causes.table import judge
from tensordbg.analysis.finding import InputView, TensorView, Verdict
from tensordbg.model import Health
from tests.analysis.builder import measured

inf, nan = math.inf, math.nan


def view(tensor: str, values: Any, dtype: str = "float32") -> TensorView:
    """A recorded tensor that holds some values."""
    array = np.asarray(values, dtype=np.float64)
    row = measured(array)
    row.pop("positive")
    row = {name: (nan if value is None else value) for name, value in row.items()}
    shape = tuple(json.loads(json.dumps(list(array.shape))))
    name = tensor.partition(":")[0]
    return TensorView(0, tensor, name, name, 0, 0, "f", 1, 0, None, "CPU:0", dtype, shape, Health(**row))


def case(op_type: str, output: Any, *inputs: Any, dtype: str = "float32", **fields: Any) -> Case:
    """An operation with its output and inputs; an input of `None` was not recorded."""
    out = view(f"{op_type}:0", output, dtype)
    given = tuple(
        InputView(f"x{k}:0", "Op", None if values is None else view(f"x{k}:0", values, fields.pop(f"dtype{k}", dtype)))
        for k, values in enumerate(inputs)
    )
    return Case(out, op_type, given, first_bad_index=unravelled(out.health, out.shape), **fields)


def made_by(one: Case, *op_types: str) -> Case:
    """The same, with what made its last input."""
    *rest, last = one.inputs
    return replace(one, inputs=(*rest, replace(last, made_by=op_types)))


def verdict(op_type: str, output: Any, *inputs: Any, **fields: Any) -> Verdict:
    """What the table says of a case."""
    return judge(case(op_type, output, *inputs, **fields))


def cause(op_type: str, output: Any, *inputs: Any, **fields: Any) -> str:
    """Its name."""
    return verdict(op_type, output, *inputs, **fields).cause
