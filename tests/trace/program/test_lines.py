from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.trace.program.lines import read_lines


@pytest.mark.parametrize(
    ("data", "rows", "damaged"),
    [
        (b"", 0, 0),
        (b'{"a": 1}\n{"a": 2}\n', 2, 0),
        (b'{"a": 1}\n{"a": 2}', 2, 0),
        (b'{"a": 1}\n{"a": ', 1, 0),
        (b'{"a": \n{"a": 2}\n', 1, 1),
        (b'[1]\n\xff\xfe\n\n7\n{"a": 2}\n', 1, 3),
        (b"[" * 100_000 + b"\n", 0, 1),
    ],
    ids=["empty", "whole", "no newline at the end", "cut", "damaged", "not objects", "too deep"],
)
def test_reads_what_is_intact(tmp_path: Path, data: bytes, rows: int, damaged: int) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    lines = read_lines(tmp_path / "x.jsonl")
    assert (len(lines.rows), lines.damaged) == (rows, damaged)


def test_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "x.jsonl").rows == ()
