"""Traps bad steps of PyTorch programs: tests what an optimizer is about to write, and captures the step.

A hook before `step` of every optimizer looks at the gradients and the loss (`trapping.py`); where `step` is given a
closure, behind that. Until then only this is noted (`calls.py`): what the outermost modules were called with, the
state of the random generator before the first call, and the buffers that a call has changed. Parameters and the
optimizer's state are still as before the step when it is found bad, and are read then (`capture.py`).
"""
