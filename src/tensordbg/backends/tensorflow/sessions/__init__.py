"""The runs of TensorFlow 1 sessions, watched through the option by which TensorFlow's own debugger works.

A kind of run (session, feeds, fetches, targets) is described as a function of its own (`graph.py`), its loops as
loops of functions (`loops.py`, `parts.py`). Whoever looks, a recording or a check, has its own kind of watch
(`watched.py`).
"""
