"""Traps: what a bad step is, what is kept of it and what is said of it; knows no framework.

With `--keep`, variables are looked at too (`snapshots.py`): the kernel holds what each step was given, without
copying, and every K steps Python copies the variables; K follows from the time that takes. If one has gone bad, the
capture is of several steps: its `variables` are those before the first, and `later` in its header has what the steps
after it were given. `tdbg replay` brings it down to one (`cli/running/narrowing.py`): a process of its own runs the
steps until the variable is bad (`series.py` of the backend's `replay/`), and writes a capture of that step alone,
whose `extra` names the other under `series`.
"""
