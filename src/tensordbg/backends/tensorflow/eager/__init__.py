"""Eager operations and calls of functions, met before the two entries into TensorFlow's runtime (`entries.py`).

`recording.py` makes an execution of each. A tensor bears a mark that says which execution made it, and so every
execution knows where its inputs came from.
"""
