"""Rows about the program and its process, in JSON lines: all of a trace that does not grow with the steps.

A row with a number that was already given replaces the former one, since a site learns what it calls only later.
Numbers need not begin at 0, since a process has one catalog for all its traces; `proportion.py` holds that they are no
billions.
"""
