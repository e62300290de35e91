"""The trace on disk: its layout, its writer for the recorded program, and its reader.

`docs/trace-format.md` describes the files and their rows; `schema.py` has the tables. `program` is what a trace says
of the program, `raw` its events as they are written, `sealed` the Parquet files that they become, `sums` what is known
of all events without reading them, `folders` traces beside one another, `graphs` those of functions. What lies here
itself joins them: the writer, the reader, a moment of a trace that grows, older formats, exports.

**Reading.** `reader.py` joins sealed parts and what is still raw, so every command works at any moment. pyarrow is
imported in this package alone, and its tables are passed on.

**What others made is not trusted.** A trace may be damaged, or made to do harm. It is opened by `tensordbg.opening`
and checked once, where it is read, so that the analysis may index arrays by any number in a trace. `raw/soundness.py`
leaves out records that name a site, path or execution which the trace does not describe, or outputs that no operation
has, and counts them as damage; where the trace does not say that it was written to its end, as on a full disk, numbers
near those that it describes are believed. In `program`, `rows.py`, `described.py` and `proportion.py` do so with JSON
lines: numbers need not begin at 0, since a process has one catalog for all its traces, but they can't be billions.
`sealed/table_checks.py` applies the same rules to Parquet, where a table that breaks one is a `TraceError`, as are
columns of other types, events out of order, and more rows than a file of that size can hold; `sealed/page_heads.py`
looks at the heads of pages, which no checksum covers. `tests/fuzz` asks all commands about damaged traces.
"""
