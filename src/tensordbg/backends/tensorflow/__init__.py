"""Records TensorFlow and Keras.

All that tensordbg relies on in TensorFlow beside its public names is listed in `internals.py`, which alone imports
`tensorflow.python`. Its tests fail when one of these names changes.

Graphs are seen when the runtime learns of a function (`functions/`), eager code at the two entries into the runtime
(`eager/`), TensorFlow 1 through the option of its own debugger (`sessions/`). A recording, a check (`check/`), a trap
(`trap/`) and stops at lines (`stops/`) are independent of one another: each is an instrument of functions and a layer
before the eager runtime. When one ends, the functions are given their plain definitions back, so that TensorFlow
fuses in them what it fused before; the definitions with our nodes are kept for the next time. A dataset keeps those
that it copied, and the probes in them do nothing. The log is freed once no kernel holds it (`native/log/active.cpp`).

Our nodes run operations that are written against TensorFlow's C API for kernels (`native/tensorflow/`), whose symbols
are looked up at run time, so one binary serves all versions. Our hooks are functions without a frame
(`own_frames.py`, `native/traceback.cpp`), which take our frames off the traceback of what goes through them;
TensorFlow leaves our files out of the stacks of operations. A hook in Python alone can't: its own frame is added
last.
"""
