"""Traces in a folder: where a new one goes, which belong together, which grow, and which may go.

**The processes of a run.** Traces of one folder belong together if they share one of the names in `process.runs` and
their processes were alive at the same time (`runs.py`).
"""
