"""Reads what the wrappers of TensorFlow 1's debugger dumped: a folder for each run, a file for each tensor."""
