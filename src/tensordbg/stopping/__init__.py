"""Stops a program at lines of its own, in a debugger for Python; knows no framework."""
