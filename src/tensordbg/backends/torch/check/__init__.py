"""Checks every tensor while a PyTorch program runs, and ends it at the operation that makes the first bad number.

A second observer of operations (`checker/`), independent of that of a recording, reads each output once and keeps
nothing. Only a bad one has Python look at it, with the interpreter's lock (`findings.py`), and decide (`checking.py`).
An observer may not throw: the exception is set for the thread, and Python raises it in the program's line once the call
into C has returned (`checker/raising.h`, `raised.py`). In the backward pass that is where `backward()` returns, before
an optimizer has written anything.

PyTorch's programs are full of infinities that are meant, such as attention masks. An infinity that the program wrote
itself may be handed on, and what is computed of it may be infinite again; a NaN made of it raises. While a `GradScaler`
has scaled the loss, what overflows in the gradients is left to it (`scaling.py`).
"""
