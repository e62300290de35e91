"""Decisions that a NaN made where it was not passed on: the end of a loop, a branch, an index, the elements chosen.

A NaN that is compared leaves no bad value behind, but the program goes on differently: here the walk back finds it.
"""
