"""The backend for PyTorch: an observer in C++, built against the installed PyTorch, and what Python adds to it.

Eager code is seen by an observer of `at::RecordFunction`, which is C++ of PyTorch's own that changes with each
version: its source is part of the package (`observer/`), compiled at first use (`building.py`). It writes into the
log through a table of functions in a capsule (`observer/log_table.h`, `native/log_table.cpp`), so it links nothing of
ours. It runs without the interpreter's lock: what made a tensor is known by the tensor's address, which a weak
pointer pins, and its version; who wrote last, by its memory (`makers.h`).

A composite operation computes nothing itself, and what an operation of `aten` calls inside its kernel is its own
affair (`operations.h`), so an event is what a kernel gave. A site's key is a hash of the frames (`frames.h`), the
module, autocast and the forward operation, found by autograd's sequence number; Python is asked once for each
(`sites.py`). Without a compiler, a dispatch mode in Python does the same (`dispatching/`). Modules and optimizers are
hooked in Python (`program/`).
"""
