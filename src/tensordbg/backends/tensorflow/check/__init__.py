"""Checks every tensor while the program runs, and ends it at the operation that makes the first bad number.

Functions get a check behind each operation that can make one (`nodes.py`), eager operations are looked at before the
program goes on (`eager.py`), and sessions by watches (`sessions/`). What is found is judged and told in one way.
"""
