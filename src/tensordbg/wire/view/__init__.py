"""What the browser's page is told, as frozen dataclasses: the server's answers, and the source of the TypeScript types.

A number that JSON lacks (NaN, an infinity) becomes null in a field of type float; where the difference matters the
field is a `Number`. An event is named by its number in the trace of one process.
"""
