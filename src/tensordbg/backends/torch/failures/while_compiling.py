"""Reads what Dynamo says of an error that comes up while it compiles: the error itself, and the program's own lines.

Its message begins with which part of Dynamo met the error, and says at length how to report it. The forms are those of
PyTorch 2.4 (`Failed running ...:` and the error below) and of later versions (`... got RuntimeError('...')`).
"""

from __future__ import annotations

import ast
import re

Frames = tuple[tuple[str, int, str], ...]

_USER_CODE = "from user code:"
_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+), in (\S+)\s*$', re.MULTILINE)
_GOT = re.compile(r": got (\w+)\((.*)\)\s*$", re.MULTILINE)
_FAILED = re.compile(r"\AFailed running .*?:\s*\n(?P<error>.+?)\s*\Z", re.DOTALL)
_ADVICE = re.compile(r"\n\s*(?:Hint:|Developer debug context:|For more details about this graph break)")


def error_while_compiling(message: str) -> tuple[str, Frames] | None:
    """The error's words, and the lines of what was being compiled, outermost first; None of any other message."""
    said, found, behind = message.partition(_USER_CODE)
    frames = tuple((file, int(line), function) for file, line, function in _FRAME.findall(behind)) if found else ()
    return (_words(said), frames) if frames else None


def _words(said: str) -> str:
    got = _GOT.search(said)
    if got is not None:
        return f"{got[1]}: {_text(got[2])}"
    failed = _FAILED.match(said)
    return failed["error"] if failed is not None else _ADVICE.split(said)[0].strip()


def _text(shown: str) -> str:
    """What a text was that an error shows as its argument."""
    try:
        value = ast.literal_eval(shown)
    except (ValueError, SyntaxError):
        return shown
    return value if isinstance(value, str) else shown
