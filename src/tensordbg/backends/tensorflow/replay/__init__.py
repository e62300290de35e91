"""Runs a captured step again, from nothing but the capture, as it was or with something changed.

`replayer.py` does so without the program; all that changes a step is a rewrite of its functions before the runtime is
given them. With the program (`call.py`), its first call of the captured function is met and made with what was
captured.
"""
