"""Stops a program at lines of its own, in a debugger for Python; knows no framework.

The source file is compiled with a question before the line (`source.py`), as a trace function would slow down all
Python code and miss the threads in which TensorFlow calls Python. What a backend does so that a line inside of a
graph is met in Python stands in its `stops/`.
"""
