"""A run of many processes: which of them went bad first, and how it came to the others.

Each process is studied by itself. They meet where operations exchange tensors (`crossings.py`), and only columns of
those are kept of a process while the next is read.
"""
