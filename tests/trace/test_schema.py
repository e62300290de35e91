from __future__ import annotations

from tensordbg.trace.program.metadata import FORMAT
from tensordbg.trace.schema import EVENT_TABLES, FORMAT_VERSION, TABLES


def test_writer_and_reader_agree_on_the_version() -> None:
    assert FORMAT == FORMAT_VERSION


def test_event_tables_are_tables() -> None:
    assert set(EVENT_TABLES) < set(TABLES)
