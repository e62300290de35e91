"""The tables of a trace: their columns and types, and the version of the format.

`tensors` and `executions` grow while a program runs; row number N of each is the event with number N. The other tables
describe what the program consists of. Sealed tables are Parquet files; before that, `tensors` and `executions` lie in
raw segments (`record.py`) and the rest in JSON lines.
"""

from __future__ import annotations

import pyarrow as pa

FORMAT_VERSION = 5

_WORD = pa.dictionary(pa.int32(), pa.string())

TENSORS = pa.schema(
    [
        ("event", pa.int64()),  # its number: 0, 1, 2... without gaps, in the order in which they were recorded
        ("time_ns", pa.int64()),  # since 1970
        ("execution", pa.int64()),  # -1: not caused by a recorded execution (a function of an input pipeline)
        ("step", pa.int64()),  # of the execution; -1 with it
        ("run", pa.int64()),  # of a pipeline's function: 1, 2, 3...; 0: the execution itself; since version 3
        ("site", pa.int32()),
        ("slot", pa.int32()),
        ("path", pa.int32()),  # row of `paths`
        ("frame", pa.int64()),  # identity of the loop frame within the execution, 0 outside of loops
        ("iteration", pa.int64()),  # null outside of loops
        ("device", _WORD),
        ("thread", pa.int64()),
        ("dtype", _WORD),
        ("shape", _WORD),  # JSON array, "[100, 10]"; null where only operations are recorded
        ("size", pa.int64()),  # null where only operations are recorded
        # The next are null where they were not measured; an imported tensor may have some and lack others.
        ("negative", pa.int64()),
        ("zero", pa.int64()),
        ("positive", pa.int64()),
        ("neg_inf", pa.int64()),
        ("pos_inf", pa.int64()),
        ("nan", pa.int64()),
        ("subnormal", pa.int64()),
        ("first_bad", pa.int64()),  # flat index; -1: all are finite; -2: some are not, and it is not known where
        ("min", pa.float64()),
        ("max", pa.float64()),
        ("sum", pa.float64()),
        ("sum_squares", pa.float64()),
        ("value_position", pa.int64()),  # where the elements lie, see `values.py`; null where they were not kept
        # The next are there since version 5.
        ("sum_abs", pa.float64()),  # null without `--sketch`
        ("sketch", pa.list_(pa.float64())),  # four sums with signs by place, see `sketches.py`; null without `--sketch`
        ("elements", pa.binary()),  # of tensors of up to 64 bytes; null where there is but one, and of larger ones
    ]
)

EXECUTIONS = pa.schema(
    [
        ("execution", pa.int64()),  # 1, 2, 3...
        ("function", pa.int32()),  # the function called, -1 for an eager operation
        ("site", pa.int32()),  # the eager operation, or the place of the call
        ("step", pa.int64()),  # how often this function (over all its traces), or this eager site, had run before
        ("thread", pa.int64()),
        ("begin_ns", pa.int64()),
        ("end_ns", pa.int64()),  # null where the program ended before it did; of an eager operation `begin_ns`
        ("failed", pa.bool_()),
        (
            "inputs",
            pa.list_(pa.int64()),
        ),  # for each input: execution << 16 | slot; -1 unknown; -2 - variable
    ]
)

SITES = pa.schema(
    [
        ("site", pa.int32()),
        ("name", pa.string()),
        ("op_type", _WORD),
        ("function", pa.int32()),
        ("stack", pa.int32()),
        ("dtypes", pa.list_(pa.string())),
        ("device", pa.string()),
        ("call", _WORD),
        ("called", pa.list_(pa.string())),
        ("argument", pa.int32()),
        ("reads", pa.list_(pa.int32())),
        ("writes", pa.list_(pa.int32())),
        ("gradient_of", pa.int32()),
        ("attributes", pa.string()),
        ("layer", pa.string()),  # since version 2
        ("framework", pa.string()),  # since version 4
        ("backward", pa.bool_()),  # since version 4; null where it is not known
    ]
)

EDGES = pa.schema(
    [
        ("site", pa.int32()),  # the consumer
        ("input", pa.int32()),  # which of its inputs, from 0
        ("from_site", pa.int32()),
        ("from_slot", pa.int32()),
    ]
)

FUNCTIONS = pa.schema(
    [
        ("function", pa.int32()),
        ("name", pa.string()),
        ("runtime_name", pa.string()),
        ("graph", pa.int32()),
        ("stack", pa.int32()),
        ("arguments", pa.list_(pa.int32())),
        ("output_sites", pa.list_(pa.int32())),
        ("output_slots", pa.list_(pa.int32())),
        ("captures", pa.list_(pa.int32())),
        ("signature", pa.string()),
        ("notes", pa.list_(pa.string())),
        ("tracing", pa.string()),  # since version 2
    ]
)

STACKS = pa.schema(
    [
        ("stack", pa.int32()),
        ("depth", pa.int32()),  # 0 is the outermost frame
        ("file", _WORD),
        ("line", pa.int32()),
        ("function", _WORD),
        ("user", pa.bool_()),
    ]
)

SOURCES = pa.schema([("file", pa.string()), ("sha256", pa.string()), ("text", pa.string())])

VARIABLES = pa.schema(
    [
        ("variable", pa.int32()),
        ("name", pa.string()),
        ("dtype", pa.string()),
        ("shape", pa.string()),
        ("trainable", pa.bool_()),  # since version 2; null where it is not known
    ]
)

PATHS = pa.schema([("path", pa.int32()), ("name", pa.string())])  # 0 is "", the root

TABLES: dict[str, pa.Schema] = {
    "edges": EDGES,
    "executions": EXECUTIONS,
    "functions": FUNCTIONS,
    "paths": PATHS,
    "sites": SITES,
    "sources": SOURCES,
    "stacks": STACKS,
    "tensors": TENSORS,
    "variables": VARIABLES,
}
"""Every table of a trace by name."""

EVENT_TABLES = ("executions", "tensors")
"""The tables that grow with every step."""
