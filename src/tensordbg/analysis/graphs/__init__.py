"""The graphs of a program, each as a whole: as Python built them, and as TensorFlow runs them.

Also which operations TensorFlow fused, moved or left out on the way, and what the layers of a model put out. The files
of graphs are read by a small decoder of protobuf in `trace/graphs`, so no TensorFlow is needed. `changes.py` finds the
operations again by their names, which are the call paths.
"""
