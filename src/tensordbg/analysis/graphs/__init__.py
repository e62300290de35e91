"""The graphs of a program, each as a whole: as Python built them, and as TensorFlow runs them.

Also which operations TensorFlow fused, moved or left out on the way, and what the layers of a model put out.
"""
