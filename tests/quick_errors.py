"""Takes TensorFlow's messages of errors apart in linear time: its own way takes a quarter of a second for a long one.

It looks for tags from each letter behind the last one to the end of the message anew, so the time grows with the
square of the length; tests of checks raise hundreds of such errors. It is given only what ends with the last tag.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

_MODULE = "tensorflow.python.framework.error_interpolation"
_TAG = re.compile(r"\{\{[^{}]*\}\}")

Parse = Callable[[str], tuple[str, list[Any], list[Any]]]


def quick(parse: Parse) -> Parse:
    """A function that answers as TensorFlow's `parse_message` does."""

    def parse_message(message: str) -> tuple[str, list[Any], list[Any]]:
        end = max((match.end() for match in _TAG.finditer(message)), default=0)
        text, functions, nodes = parse(message[:end])
        return text + message[end:], functions, nodes

    return parse_message


def be_quick() -> None:
    """Has the TensorFlow of this process, if it is there, take its messages apart so."""
    module: Any = sys.modules.get(_MODULE)
    if module is not None and module.parse_message.__module__ == _MODULE:
        module.parse_message = quick(module.parse_message)
