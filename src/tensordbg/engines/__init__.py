"""Clusters that others run, which work on the traces of a run beside one another: Dask and Ray.

An engine is asked for one thing, to map a function over items (`engine.py`). Which worker takes what, what is tried
again, and what a worker that dies leaves to the others is the engine's own affair. `opened.py` finds the one that an
address asks for; its package is imported there and then, and in its own module alone.
"""
