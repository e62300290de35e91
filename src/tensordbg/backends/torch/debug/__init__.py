"""Stops PyTorch programs for the debugger: before and behind runs (`runs.py`), and at operations (`operations.py`).

A run is a call of an outermost module, of `backward`, or of an optimizer's `step`; what it calls in turn is part of
it. The observer of a recording says of each operation when it is about to run, so that the program can stop at the
line, and when it has been recorded.
"""
