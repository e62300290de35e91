"""Sample traces, and how two readings of one trace are compared."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

from tensordbg.model import Health
from tensordbg.trace.raw.record import RecordFlag
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.schema import TABLES
from tests.trace.builder import Tensor, TraceBuilder, small_program

NAN_HEALTH = Health(size=6, negative=1, zero=1, neg_inf=1, pos_inf=1, nan=1, subnormal=1, first_bad=3, sum=2.5)


def eventful_trace(folder: Path, segment_records: int = 16) -> TraceBuilder:
    """Six steps of a function and eager operations between them; a call that lasts over all; holes; many inputs."""
    build = TraceBuilder(folder, segment_records)
    build.describe(small_program())
    lasting = build.begin(5, 0, 0, thread=8)
    build.graph_tensor(50, 0, Tensor(thread=8))
    for step in range(1, 7):
        call = build.begin(5, 0, step, [1 << 16, -1])
        for turn, site in enumerate((0, 1, 3, 4)):
            tensor = Tensor(health=NAN_HEALTH if site == 1 else Health(size=6, zero=6), frame=site // 3, iteration=turn)
            build.graph_tensor(1000 + step, site, tensor)
        build.hole()
        build.end(call, RecordFlag.FAILED if step == 3 else 0)
        eager = build.begin(6, step=step - 1, inputs=range(step * 12))
        build.eager_tensor(eager, 6, Tensor(shape=(step,), dtype="bfloat16", slot=1))
    build.graph_tensor(9999, 1, Tensor(shape=None, health=None))
    build.graph_tensor(50, 1, Tensor(thread=8))
    build.end(lasting)
    build.begin(5, 0, 7)
    build.graph_tensor(2000, 0)
    return build


def threaded_trace(folder: Path, seed: int, segment_records: int = 32) -> tuple[TraceBuilder, list[int]]:
    """Several threads call two functions at the same time; also gives the execution of each tensor event."""
    chance = random.Random(seed)
    build = TraceBuilder(folder, segment_records)
    build.describe(small_program())
    causes: list[int] = []
    threads = [_thread(build, number, causes, chance) for number in range(5)]
    while threads:
        thread = chance.choice(threads)
        if next(thread, None) is None:
            threads.remove(thread)
    return build, causes


def _thread(build: TraceBuilder, number: int, causes: list[int], chance: random.Random) -> Any:
    """Generator: each value is one record written by this thread. Begin and first event come together."""
    for call in range(8):
        function, sites = chance.choice([(0, (0, 1, 2, 3, 4)), (1, (3, 4))])
        execution = build.begin(5, function, call, [7 << 16] * chance.randrange(60), thread=number)
        step_id = chance.getrandbits(60)
        for site in sites:
            build.graph_tensor(step_id, site, Tensor(thread=number))
            causes.append(execution)
            yield True
        build.end(execution)
        eager = build.begin(6, step=call, thread=number)
        yield True
        build.eager_tensor(eager, 6, Tensor(thread=number))
        causes.append(eager)
        yield True


def all_tables(reader: TraceReader | Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table; NaN is equal to itself here."""
    reader = open_trace(reader) if isinstance(reader, Path) else reader
    tables = {name: reader.table(name).to_pylist() for name in TABLES}
    return {
        name: [{key: _comparable(value) for key, value in row.items()} for row in rows] for name, rows in tables.items()
    }


def _comparable(value: Any) -> Any:
    return "nan" if isinstance(value, float) and math.isnan(value) else value
