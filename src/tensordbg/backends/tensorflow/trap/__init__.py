"""The trap: tests the loss and the gradients of each step before anything is written, and captures a bad step.

`targets.py` notes what a step's loss and gradients are, by hooks in `tf.GradientTape` and the Keras optimizers while
functions are traced. `nodes.py` puts the trap into its function with the writes behind it (`gates.py`), and
`capture.py` makes the capture. Eager steps have a way of their own (`eager/`). As an instrument of functions
(`trapping.py`) it has nodes only for those that compute gradients, and those that call one (`Instrument.wants`): all
others are left alone.

One `TensordbgTrap` (`native/tensorflow/trap.cpp`) takes the loss and the gradients, and what is to be kept: the
arguments, the elements of pipelines, and the old values of what is written before the test, such as a generator's
state. All other writes wait for it by a control edge, so an exception comes before anything is written; that is all
for `stop` and `record`. Where processors are few, what is computed from a gradient waits too, as what it computes
would else be fetched from memory again for the write. With `skip` each write becomes an `If` on the trap's output
(`gates.py`), also in functions, branches and loops that the step calls, which get the condition as one more argument
(`gated_calls.py`).

As long as all is finite the kernel reads each tensor once; only a bad step has Python, with the interpreter's lock,
write the capture: the variables are read then, as nothing has been written. A scaled loss is noted with its scale,
and gradients that overflow under a scale above 1 are left to the optimizer. A step that XLA compiles is divided
(`compiled.py`). One that is bad, but is to be let be after all, can't be undone there, and runs without the
compilation.
"""
