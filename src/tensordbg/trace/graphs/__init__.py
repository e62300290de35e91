"""Graphs of functions as TensorFlow writes them, read and put together without TensorFlow."""
