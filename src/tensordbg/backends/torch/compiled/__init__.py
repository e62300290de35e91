"""Records what `torch.compile` makes of a function: each graph that Inductor has compiled is a function of the trace.

Inductor's kernels stay as they are. Behind each kernel stands a line more in the generated Python code, which looks at
the buffers that it has stored (`probes.py`); the hooks for that are private to PyTorch and stand in `internals.py`. The
sites are the operations of the graph as it was before operations were fused (`describing.py`). Those that a kernel
keeps to itself have no events, until one of its results is not finite: then they run again, eagerly, from the
buffers that are still there (`rerunning.py`), and what they give is recorded in their place.
"""
