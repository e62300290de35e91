"""Stops at lines of the program: gates in functions, and functions that run eagerly for the sake of a line.

For a debugger of Python (`eager.py`), a line that is met while a graph is built notes that graph, with those around
it; where AutoGraph converts the function, its call is noted. When a graph that is noted is about to run, an exception
takes the call back, and the Python function is called instead, then and later. A function of a dataset is made a
second time, as `tf.data.experimental.enable_debug_mode` has it.

For tensordbg's own debugger a definition gets gates before and behind the operations of a line (`line_gate_nodes.py`,
`native/tensorflow/stop.cpp`), since a function has no order but that of its data: a gate waits for what was made
before it, what was made later waits for the gate, and it takes in the tensors that it tells of.
"""
