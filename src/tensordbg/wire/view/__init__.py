"""Answers that the browser's page is given, as frozen dataclasses; the TypeScript types are made from them.

A number that JSON lacks (NaN, an infinity) becomes null in a field of type float; where the difference matters the
field is a `Number`. An event is named by its number in the trace of one process.
"""
