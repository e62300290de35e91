from __future__ import annotations

from collections import UserDict

from tensordbg.recording.holders import note_tables, note_wrappers, tables_of, unwrapped


class Wrapper:
    def __init__(self) -> None:
        self.kept = [1]


class Batch(UserDict[str, int]):
    def __getitem__(self, key: str) -> int:
        raise AssertionError(key)


def test_what_wrappers_stand_for() -> None:
    note_wrappers(__name__.partition(".")[0], {"Wrapper": "kept"})
    assert unwrapped(Wrapper()) == [1]
    batch = Batch()
    batch.data["ids"] = 3
    assert unwrapped(batch) == {"ids": 3}
    other = {"a": 1}
    assert unwrapped(other) is other


def test_the_tables_of_an_object() -> None:
    note_tables("_held")
    assert list(tables_of({"_held": {"w": 1}, "w": 2})) == [{"w": 1}]
    assert list(tables_of({"_held": None})) == []
