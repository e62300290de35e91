"""The exceptions that a user may meet; each message gives the value, the rule and the next action in one line."""

from __future__ import annotations

from tensordbg.controls import escaped


class TensordbgError(Exception):
    """Base of all errors that tensordbg raises on purpose; names of a trace in its message are shown escaped."""

    def __str__(self) -> str:
        return escaped(super().__str__())


class UsageError(TensordbgError):
    """Something asked for does not exist or is not allowed; the command line ends with code 2."""


class AbsentError(UsageError):
    """Something asked for does not exist, though it might: an event, a file, a run; over HTTP this is a 404."""


class TraceError(TensordbgError):
    """A trace is missing, foreign, damaged or of a newer format; the command line ends with code 2."""


class CaptureError(TensordbgError):
    """A capture is missing, damaged or of a newer format; the command line ends with code 2."""


class StepRaisedError(CaptureError):
    """A captured step raised when it was run again; the cause is the framework's own error."""

    def __init__(self, message: str, place: str) -> None:
        """`place` names the kind of error and the operation, the same wherever the same went wrong."""
        super().__init__(message)
        self.place = place


def beyond_bounds(error: MemoryError | RecursionError) -> str:
    """The line for what a trace can ask for although each part of it is right: calls within calls, or a great many."""
    what = "more memory than there is" if isinstance(error, MemoryError) else "calls nested deeper than Python goes"
    return f"this needs {what}; ask for a part of it, and if the trace is not your own, it may be forged"


class RecordingError(TensordbgError):
    """Recording could not begin."""
