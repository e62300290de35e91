"""Names as one types them, and the tensors, operations, layers and functions of a trace that they mean.

There is one rule for all commands, the console and the page (`naming.py`). What it finds is listed a page at a time.
"""
