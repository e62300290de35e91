"""Reasons to stop a program: breakpoints, the line of `until`, and filters over what was recorded last."""
