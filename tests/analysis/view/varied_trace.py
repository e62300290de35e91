"""A trace of many unlike events: names, devices, dtypes, shapes, turns, healths, kept and unmeasured ones."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.model import NONE, CallKind, Frame, Function, Site, TensorRef
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import ProgramParts, Tensor, TraceBuilder, kept

EXECUTIONS = 60
_LAYER = '{"path": "model/dense", "class": "Dense", "output_of": []}'


def program() -> ProgramParts:
    """Function 0 (`train_step`) has a loop, whose body is function 1; site 8 is eager, of another file."""
    main = (Frame("/code/train.py", 12, "main", True),)
    library = (*main, Frame("/code/model.py", 5, "train_step", True), Frame("/lib/keras.py", 9, "call", False))
    return ProgramParts(
        sites=(
            Site(0, "x", "Placeholder", 0, 0, dtypes=("float32",), argument=0),
            Site(1, "dense/MatMul", "MatMul", 0, 1, (TensorRef(0, 0), TensorRef(0, 0)), ("float32",), layer=_LAYER),
            Site(2, "dense/Log", "Log", 0, 1, (TensorRef(1, 0),), ("float32",), layer=_LAYER),
            Site(3, "split", "Split", 0, 0, (TensorRef(2, 0),), ("float32", "float32")),
            Site(4, "while", "While", 0, 0, (TensorRef(3, 1),), ("float32",), call=CallKind.WHILE, called=("c", "b")),
            Site(5, "arg", "Placeholder", 1, 0, dtypes=("float32",), argument=0),
            Site(6, "Log", "Log", 1, 0, (TensorRef(5, 0),), ("float32",)),
            Site(7, "train_step", "PartitionedCall", NONE, 0, call=CallKind.CALL, called=("t",)),
            Site(8, "Exp", "Exp", NONE, 2, dtypes=("float64",)),
        ),
        functions=(
            Function(0, "train_step", "t", 0, 0, (0,), (TensorRef(4, 0),), (NONE,)),
            Function(1, "while_body_7", "b", 1, 0, (5,), (TensorRef(6, 0),)),
        ),
        stacks=(main, library, (Frame("/code/other train.py", 8, "main", True),)),
        paths=("", "while/body/_3"),
        devices=("", "/device:CPU:0", "/device:GPU:0"),
    )


def make_varied_trace(folder: Path, sealed: bool) -> Path:
    """Writes the trace."""
    chance = random.Random(4)
    build = TraceBuilder(folder, segment_records=64)
    build.describe(program())
    for step in range(EXECUTIONS):
        if chance.random() < 0.4:
            call = build.begin(site=8, step=step, thread=chance.choice((7, 9)))
            build.eager_tensor(call, 8, _tensor(chance, "float64"))
            continue
        call = build.begin(site=7, function=0, step=step)
        for site in (0, 1, 2):
            build.graph_tensor(step + 500, site, _tensor(chance, "float32"))
        build.graph_tensor(step + 500, 3, _tensor(chance, "float32"))
        build.graph_tensor(step + 500, 3, _tensor(chance, "float32", slot=1))
        for turn in range(chance.randrange(4)):
            build.graph_tensor(step + 500, 6, _tensor(chance, "float32", path=1, frame=1, iteration=turn))
        build.end(call)
    build.finish()
    if sealed:
        seal_all(folder)
    return folder


def _tensor(chance: random.Random, dtype: str, **rest: int) -> Tensor:
    device = chance.choice((1, 1, 2))
    kind = chance.randrange(8)
    if kind == 0:  # not measured
        return Tensor(chance.choice(((2, 3), None)), None, dtype, device=device, **rest)
    shape = chance.choice(((), (3,), (2, 3), (4, 1, 2), (0,)))
    elements = np.array([chance.choice((0.0, -1.5, 2.0, 1e4, 7.25)) for _ in range(int(np.prod(shape)))])
    elements = elements.reshape(shape).astype(dtype)
    if kind < 3 and elements.size:
        elements.flat[chance.randrange(elements.size)] = chance.choice((np.nan, np.inf, -np.inf))
    tensor = kept(elements, device=device, **rest)
    return tensor if kind % 2 else Tensor(tensor.shape, tensor.health, dtype, device=device, **rest)


def open_varied_trace(folder: Path, sealed: bool = True) -> OpenedTrace:
    """The same, opened."""
    return OpenedTrace(open_trace(make_varied_trace(folder, sealed)))
