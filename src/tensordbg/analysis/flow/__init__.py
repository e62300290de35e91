"""The data flow of what ran: from any value to the values that it was made from.

A graph runs in invocations, one for each call and iteration of a loop (`invocations.py`, `links.py`). `values.py`
locates every value of the program and the event that tells of it; `dataflow.py` takes one step back inside of graphs,
and the others know the ways that lead out of them: variables, stores, handles, pipelines, callbacks, Python. `graph.py`
is the flow of what is not finite.
"""
