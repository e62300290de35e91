"""The runs of TensorFlow 1 sessions, watched through the option by which TensorFlow's own debugger works.

A kind of run (session, feeds, fetches, targets) is described as a function of its own (`graph.py`), whose sites are
the operations upstream of the fetches, so that its events can't be taken for those of another run at the same time. A
loop of Enter, Merge, Switch, NextIteration and Exit is described as a `While` operation with a condition and a body
(`loops.py`, `parts.py`), so the analysis knows one kind of loop; a stack on which a loop keeps values for its
gradient is described as a list among its variables. Whoever looks, a recording or a check, has its own kind of watch
(`watched.py`).

`RunOptions.debug_options` is given to each run: the runtime then puts a debug operation behind every tensor, and ours
(`TensordbgWatch`, `native/tensorflow/probe_session.cpp`) is accepted like any other. This was chosen over adding
probes to the program's graph and fetching them with each run, because

- the watches are put into the partitioned graph, after pruning, placement, Grappler and inlining, and kept apart for
  each set of options: the program's graph, its seeds, exports and metadata hold nothing of ours, and Grappler makes of
  it what it always makes, so that the numbers are the same to the bit;
- nodes of inlined functions and of lowered loops are seen, which are nowhere in the program's graph;
- it costs no operation in the Python graph, and nothing to grow with it.

The price is that what Grappler fuses away is not seen, which the report says.

**Watches.** The inserter puts a `Copy` between a tensor and its consumers. TensorFlow's kernel for it copies the
elements, and a tensor that shares a reference variable's memory would no longer show a later update; ours, registered
for the same operation with a higher priority, passes the tensor itself on, and copies only for watches that are not
ours. References are not cut; they are read before anything that takes them runs. A wildcard watches all tensors, and
works only if there is some other watch, whatever it names. All watches of one kind of run bear its number, by which a
kernel finds its site from its node's name (`_native.describe_run`). The watch must be stateless: kernels of stateful
operations are kept for the session's life by their nodes' names alone. The address of the watches has a scheme that
the debugger does not know, so it sends nothing. If the runtime refuses the watches, before anything has run, the run
is repeated without them.

**Functions.** Calls are inlined in sessions that are made while anybody looks (`calls.py`): by itself a session runs
those that it fetches beside its graph. Functions that came as definitions only, as a SavedModel's or a `Defun`'s do,
are described from these (`library.py`, `functions/legacy.py`), under names of their own, as two graphs may have
different functions of one name: `f_83@1` is what the first such graph calls `f_83` (`functions/names.py`).
`runtime_name` and `called` in a trace hold these names; the runtime, its errors and what is exported never do
(`name_in_graph`). What a graph only names, such as the function of a `map` in a pipeline, a session runs by itself,
in the definition that it took from the graph's library; while it takes what is new there, the library holds our
definitions (`functions.py`). A session refuses another definition of a function that it has, so it is given the same
ones for life; and what such a function calls is a copy under another name, as the graph may call the plain one, which
is inlined and watched.

**Beside the run.** What an optimizer's update keeps beside a resource variable is read behind the run (`slots.py`),
by a second run that has the program's own operations as targets that read these variables, fetches nothing and writes
nothing. It belongs to the same execution. At a breakpoint a run is held at the watches by which it is recorded
(`stops.py`, `native/tensorflow/session_stops.cpp`), so other breakpoints need no other graph; which tensors there are
to be held at is known once TensorFlow has made its kernels.
"""
