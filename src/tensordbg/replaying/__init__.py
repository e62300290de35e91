"""Replays: runs captured steps again, by themselves or by their own program; knows no framework.

A process can have one version of a function, so the plain and the changed step run in two. What is shown of both
comes from what each left: `replay.json`, and the traces, which `analysis/tensors/divergence.py` compares by name, path
and iteration. The bisection is `ddmin` over the rows of the batch (`delta_debugging.py`); a function that was traced
for one size gets rows over and over instead of fewer.
"""
