from __future__ import annotations

from typing import Any

from tensordbg.recording.passing_sink import PassingSink


class Rows:
    """Keeps what it is given, by what it was given for."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *rows: self.told.append((name, *rows))


def test_every_row_is_handed_on() -> None:
    rows: Any = Rows()
    sink: Any = PassingSink(rows)
    sink.sites([1])
    sink.function(2)
    sink.stack(3, ())
    sink.source(4)
    sink.variable(5)
    assert rows.told == [("sites", [1]), ("function", 2), ("stack", 3, ()), ("source", 4), ("variable", 5)]
