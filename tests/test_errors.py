from __future__ import annotations

import pytest

from tensordbg import errors
from tensordbg.errors import (
    AbsentError,
    CaptureError,
    RecordingError,
    StepRaisedError,
    TensordbgError,
    TraceError,
    UsageError,
    beyond_bounds,
)


@pytest.mark.parametrize("kind", [AbsentError, RecordingError, TraceError, UsageError])
def test_all_have_one_base(kind: type[TensordbgError]) -> None:
    assert issubclass(kind, TensordbgError)
    assert str(kind("runs: holds no trace")) == "runs: holds no trace"


def test_there_are_no_others() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    of_traces = {AbsentError, CaptureError, RecordingError, StepRaisedError, TraceError}
    assert set(kinds) == {TensordbgError, UsageError, *of_traces}


def test_what_goes_beyond_bounds_is_one_line() -> None:
    assert beyond_bounds(MemoryError()).startswith("this needs more memory than there is; ask for a part of it")
    assert beyond_bounds(RecursionError()).startswith("this needs calls nested deeper than Python goes; ask")
