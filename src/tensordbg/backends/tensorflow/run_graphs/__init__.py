"""The graphs of functions, where it was asked for that they are kept: as Python built them, and as they run.

The user wants to know what becomes of the program without us, and probes keep TensorFlow from fusing what they look
at. Running the optimiser by itself, offline, would give neither placement nor the rewrites that follow it, nor the
settings of the process. What is done instead (`keep.py`): before the first call of a function from Python, the same
call is made with a cancellation manager that is cancelled already. TensorFlow then optimises, places and divides the
function, and ends the call before its first operation. It is done twice: for a copy of the plain definition under
another name, with copies of all that it calls, which are removed at once (`run`); and for the recorded function
(`recorded`), whose kernel the real call then finds ready. That such a call computes nothing is tried out first, on a
function that does nothing.

The graphs come with the run metadata, which are switched on only meanwhile; if the program has them on, it is left
alone. As built, a graph is the definition at the time of instrumenting. Graphs that a program collects itself are
cleaned of our nodes as TensorFlow gives them out (`clean.py`).
"""
