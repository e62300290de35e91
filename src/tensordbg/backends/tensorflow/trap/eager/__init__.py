"""Steps that run eagerly: noted operation by operation, tested before the update, written as a graph where bad.

A step is noted from where its tape is entered (`steps.py`, `log.py`): tensors of the step by number, so that none
lives longer; what came from outside, and variables before an early write, are held. When the gradients are good the
notes are dropped, before the update. A bad step is written as a graph by running the notes again while a function is
traced (`graph.py`), and then captured like any other (`capture.py`). What it wrote early is put back.
"""
