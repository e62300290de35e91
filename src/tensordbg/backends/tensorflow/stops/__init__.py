"""Stops at lines of the program: gates in functions, and functions that run eagerly for the sake of a line."""
