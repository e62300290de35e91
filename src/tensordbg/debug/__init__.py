"""The debugger: stands before and behind each run of a program, stops it there, and opens the console within it.

A run is one call from Python into the program's numbers: of a function, of a session, of an eager Keras batch or of a
tape's gradient. It works in the program's own process, as pdb does: the backend tells the recorder's watch
(`recording/runs.py`) before and after each run; inside of one, others do not count. `debugger.py` asks what it was
told (`stepping.py`), opens the console in the thread that makes the run, and raises `SystemExit` on `exit`. Nothing is
traced again or instrumented anew between runs: a run that is not to be recorded only finds the recorder resting.

All runs are in one trace, whose log has `last` set to more than any disk holds: nothing goes by itself, and
`retention.py` has the log forget whole runs at which nothing stopped, records, slots and values, so a program that goes
on until something happens does not fill the disk. A trace for each run would need the sites, stacks and sources again
each time, and `history`, `diff` and the causes look over runs.

Filters and breakpoints (`reasons/`) are tested on the events of the run just made. Opening the trace anew takes too
long for that, so `trace/tail.py` reads only the slots behind a sequence number, and keeps what the trace says of the
program as long as that does not grow. A run that raises is noted, not a stop: the program may expect it. Where nothing
catches it, the launcher opens the console on the run that raised. Only the wrappers of TensorFlow 1's sessions
(`tensorflow/v1/`) stop there at once, as nobody stands around them.

At lines (`lines/`) it stops in two ways. Eager code is stopped by the layer before the eager runtime, at the first
operation that belongs to the line (`lines/eager.py`), and behind the line by tracing that one line
(`lines/end_of_line.py`). Functions and sessions are held by the backend, in its `stops/` and `sessions/`. A thread of
the framework stands still there, so the console is the plain one.
"""
