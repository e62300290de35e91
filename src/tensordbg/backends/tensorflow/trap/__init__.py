"""The trap: tests the loss and the gradients of each step before anything is written, and captures a bad step.

`targets.py` notes what a step's loss and gradients are, `nodes.py` puts the trap into its function with the writes
behind it (`gates.py`), and `capture.py` makes the capture. Eager steps have a way of their own (`eager/`).
"""
