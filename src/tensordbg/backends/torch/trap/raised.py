"""The exception that a trap raises in place of a bad step."""

from __future__ import annotations


class BadStepError(FloatingPointError):
    """A step whose loss or gradients are bad was kept from writing anything."""

    __module__ = "tensordbg.torch"
