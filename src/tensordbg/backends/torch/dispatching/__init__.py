"""The observer that needs no compiler: a dispatch mode of PyTorch's, in Python, with the functions of the compiled one.

It sees the operations that reach a kernel, below autograd and autocast, in the thread that starts it and in those that
are started later (`mode.py`). What is known of operations, of tensors and of who made them is as in `observer/`, whose
headers the modules here follow: `operations.py`, `tensors.py`, `makers.py`. `observer.py` has the functions.
"""
