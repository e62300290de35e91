"""Traps: what a bad step is, what is kept of it and what is said of it; knows no framework."""
