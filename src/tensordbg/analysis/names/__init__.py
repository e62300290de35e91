"""From what one types to what the trace has of it: tensors, operations, layers and functions by name.

There is one rule for all commands, the console and the page (`naming.py`). What it finds is listed a page at a time.
"""
