"""Titles of functions for a reader: one that computes the gradient of another says so."""

from __future__ import annotations

import re

from tensordbg.operations.pipeline_names import program_title

_PASS = re.compile(r"__(inference|forward|backward)_(.+)_\d+")
"""A name that the framework gives to a pass of a function, around its own."""


def function_title(name: str) -> str:
    """`gradient of f` for `__backward_f_191`, else the name without what the framework puts around it."""
    found = _PASS.fullmatch(name)
    if found is None:
        return program_title(name)
    inner = function_title(found[2])
    return f"gradient of {inner}" if found[1] == "backward" else inner
