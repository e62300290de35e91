"""The words of an exception, for the debugger."""

from __future__ import annotations

import sys

from tensordbg.recording.failure import failure_behind
from tensordbg.recording.support import DEBUG


def described(error: BaseException) -> str:
    """Type and message, as the last line of a traceback has them, with all of the message.

    Where that begins with a heading, such as `Graph execution error:`, the operation's own words stand before it.
    """
    message = str(error).strip()
    failure = failure_behind(error)
    own = "" if failure is None else failure.message.strip()
    if own and message.partition("\n")[0] not in own:
        message = f"{own}\n\n{message}"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def operation_of(error: BaseException) -> str:
    """The name of the operation that raised, empty where no framework knows it."""
    # A framework that the program has not imported has raised nothing, and asking would import it.
    roles = (role for backend, role in DEBUG.offers() if backend.framework in sys.modules)
    return next(filter(None, (role.operation_of(error) for role in roles)), "")
