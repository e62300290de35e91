from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.damage import missing, reading_of

PATH = Path("runs/a/sites.jsonl")


@pytest.mark.parametrize(
    "error",
    [ValueError("bad\nvalue"), KeyError("x"), OSError(5, "input/output error"), pa.ArrowInvalid("x"), RecursionError()],
    ids=lambda error: type(error).__name__,
)
def test_becomes_one_line(error: Exception) -> None:
    with (
        pytest.raises(TraceError, match=r"^runs/a/sites.jsonl: can't be read \(.+\); restore .*$") as caught,
        reading_of(PATH),
    ):
        raise error
    assert "\n" not in str(caught.value)


def test_lets_through_what_has_a_meaning_of_its_own() -> None:
    with pytest.raises(FileNotFoundError), reading_of(PATH):
        raise FileNotFoundError
    with pytest.raises(TraceError, match=r"^as it was$"), reading_of(PATH):
        raise TraceError("as it was")
    with pytest.raises(KeyboardInterrupt), reading_of(PATH):
        raise KeyboardInterrupt


def test_missing_file() -> None:
    expected = "runs/a/sites.jsonl: is missing, but the trace names it; restore the file from a copy, or record again"
    assert str(missing(PATH)) == expected
