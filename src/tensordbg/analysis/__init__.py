"""Answers about a trace, as pure functions from its tables to dataclasses; knows no framework.

There is a room for each question: `columns` (the tables as arrays), `program` (what the trace describes), `names`,
`flow` (from any value to what it was made from), `decisions`, `origins` (the bad values that were made from nothing
bad), `causes`, `warnings`, `alerts`, `failures`, `graphs`, `tensors`, `processes`, and `view`, which is what the page
asks. `why.py` puts together the answer of `tdbg why`; `query.py` is the one module that imports duckdb.

What a trace says was checked when it was read, so arrays are indexed by its numbers without asking again;
`program/own_graph.py` drops references that lead out of a graph.
"""
