"""Errors of TensorFlow: which operation raised, what it was given, and what Python held when the program ended."""
