"""Functions: each is instrumented at the moment when the runtime learns of it.

`graphs.py` describes the graph that Python built, for the trace; `definition.py` reads the definition that the
runtime is given, and adds the probes to it; `instrument.py` does this for every function, and first for those that it
calls. What is exported or built from a function gets the plain definition (`originals.py`), and functions that were
made before anybody looked are found and replaced in place (`live.py`).

Everything that makes a function, from `tf.function` to the body of a loop, a backward pass or a function of
`tf.data`, calls `atomic_function.from_func_graph`. After it has returned, the FunctionDef that the runtime holds is
replaced by a copy with a probe for each tensor. TensorFlow's own debugger uses an op callback while the graph is
built instead. This way was chosen because

- the Python graph is never touched: gradients, exported models and whatever else is made from it hold nothing of ours
  (`debug_info.py` tells, for the message of an error, where operations were made: the runtime has no stacks of the
  new definition);
- probes are added after the automatic control dependencies, so they neither serialise the step nor wait in a cycle;
- only what the function's results or side effects need is probed, so nothing runs that would not have run;
- adding nodes to a protobuf costs microseconds each, creating operations a hundred times as much;
- arguments, which TensorFlow no longer passes to op callbacks, are seen.

A call, loop or branch is given its stateful form and must run, or the runtime would drop it together with its probes.
All are inlined and lowered (also what was meant for XLA, without its compilation): the runtime then gives each node
the call path as the beginning of its name, and loop frames and iterations that tell them apart. Of a loop's
condition it keeps only what the result needs, so there the result waits for our nodes.

Where processors are few, an operation waits for the probes, and the checks, of what it takes in (`waiting.py`). The
gradients of a convolution's kernel and bias never wait, since the runtime merges the two only if they don't, and the
merged operation rounds otherwise. A tensor and its reshape have one probe (`probe_pairs.py`); what takes in the first
of them does not wait for it, as the reshape may depend on that. The constants of a function have one probe for 64 of
them (`probe_constants.py`): they can't fail and wait for nothing, so none is lost to an operation that fails.

What an optimizer's update in one operation keeps beside the variable, its slots, is read behind it (`slots.py`): in
functions by a node of ours, eagerly by a read of ours. The read is a site of its own, `ResourceApplyAdam/new_v`,
numbered right behind the update, so to the analysis it is a read of a variable like any other.

Where a GPU is visible (`device_summary.py`) a tensor gets TensorFlow's `DebugNumericSummaryV2` beside it, which has a
kernel for GPUs, and `TensordbgSummaryProbe` (`native/tensorflow/probe_summary.cpp`), which writes its counts and the
shape as an event of which a part is known. Both are placed with the operation that made the tensor, so nothing else
is copied to the host.

Replacing the definition of a function that is there already (`live.py`) means removing it from the runtime, which
drops its cached kernels; the next call builds them anew. A dataset has copied its functions when it was made; those
are named in a warning.
"""
