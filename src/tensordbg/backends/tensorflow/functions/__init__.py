"""Functions: each is instrumented at the moment when the runtime learns of it.

`graphs.py` describes the graph that Python built, for the trace; `definition.py` reads the definition that the
runtime is given, and adds the probes to it; `instrument.py` does this for every function, and first for those that it
calls. What is exported or built from a function gets the plain definition (`originals.py`), and functions that were
made before anybody looked are found and replaced in place (`live.py`).
"""
