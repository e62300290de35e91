"""Runs a captured step again, from nothing but the capture, as it was or with something changed.

`replayer.py` does so without the program: it gives the runtime the captured functions and calls the step by its name,
with the captured variables behind the handles; elements of an input pipeline become arguments. What the trap had
tested is put out beside the results (`outputs.py`), so it is known of a clean step too. All that changes a step is a
rewrite of its FunctionDefs before they are loaded: to a wider type, with casts around what exists in no such form or
draws random numbers (`precision.py`), or with tensors replaced where they are used (`changes.py`).

With the program (`call.py`) functions run eagerly from the start, so that one called by another is met with tensors
at hand. The captured function is known by its name and file; at its first call it is traced, without running, to
learn the order of its variables; then they get the captured values and its Python function the captured batch, under
pdb, debugpy or a recording. A patch is captured anew instead (`recapture.py`): the traced function with the old batch
and variables is a capture like any other, so all else works on it.
"""
