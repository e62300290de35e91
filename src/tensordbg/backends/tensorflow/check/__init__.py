"""Checks every tensor while the program runs, and ends it at the operation that makes the first bad number.

Functions get a check behind each operation that can make one (`nodes.py`), eager operations are looked at before the
program goes on (`eager.py`), unless they may only be chosen from (`deferred.py`), and sessions by watches
(`sessions/`). What is found is judged and told in one way. `checking.py` is a second instrument of functions and a
second layer before the eager runtime, independent of recording.

A `TensordbgCheck` (`native/tensorflow/check.cpp`) reads its tensor once; only a bad one has Python, with the
interpreter's lock, look at the inputs and make the message (`graph.py`, `checking/message.py`). TensorFlow's checker
replaces outputs so that the first operation raises; here control edges between the checks see to it. A check waits
for those of all that its operation was computed from, calls and loops for those of what they are given, a loop's
iteration for those of the iteration before, a backward pass for those of the forward pass, and a write of a variable
for those of what it writes. What can make
nothing bad of finite numbers (`bounded.py`) needs no check, where all that it takes in was checked in the same
definition. So when a check runs, whatever was bad before has raised or was let pass, and with no rule for what is
allowed (`allowed.py`) a bad number raises as it is. With rules, a check also looks for what was let pass in this step
among its inputs. The price is some memory, as the inputs live until the check has run, and a few per cent of time.

A check that stops at a gradient names the line of the forward operation: it is looked for in the Python graph then
(`forward_operations.py`); under an eager tape, tensors bear the line that made or took them (`taped_lines.py`).
"""
