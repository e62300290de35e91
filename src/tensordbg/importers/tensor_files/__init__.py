"""Traces of named tensors that any program has written: files of safetensors, and NumPy's `.npz` and `.npy`.

`safetensors_file.py` and `numpy_files.py` list what a file holds and hand its elements out in pieces; both take nothing
for granted, as such files come from anywhere. `stored.py` measures them, `steps.py` tells which files are steps of one
thing, and `importing.py` writes the trace: each tensor is an event, and nothing is known of what it was made from.
"""
