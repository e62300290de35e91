"""Runs captured steps of PyTorch again, without their program.

A capture has the operations that its step ran, in their order, and how each of them looked at memory
(`captured/graph.py`). They run one by one through PyTorch's dispatcher, from memories that are filled with what was
captured (`running.py`), so the numbers are the same to the bit; only operations that compute are run (`operators.py`).
Each runs from a line of code of its own, by which the recording finds the program's place for it
(`captured/places.py`). Nothing is unpickled.
"""
