"""An exception carries what was found, also where a runtime hands on nothing but the text."""

from __future__ import annotations

from tensordbg.recording.carried import OnTheWay, Sent, carried, carry, chain


def test_what_is_carried_is_found_behind_other_exceptions() -> None:
    inner, outer = ValueError("inner"), RuntimeError("outer")
    carry(inner, ("found", 1))
    outer.__cause__ = inner
    assert carried(outer, tuple) == ("found", 1)
    assert carried(outer, dict) is None
    assert carried(KeyError(), tuple) is None
    inner.__context__ = outer
    assert list(chain(outer)) == [outer, inner]


def test_an_exception_that_takes_nothing_is_left_as_it_is() -> None:
    class FrozenError(Exception):
        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(name)

    error = FrozenError()
    carry(error, 1)
    assert carried(error, int) is None


def test_a_message_is_known_within_what_a_runtime_writes_around_it() -> None:
    way = OnTheWay()
    assert way.send("\n\nfirst of all\n", 1) == "\n\nfirst of all\n"
    way.send("second", 2)
    assert way.within("2 errors:\n(0) first of all\n(1) second") == Sent("\n\nfirst of all\n", 1)
    assert way.within("Error: second [[{{node x}}]]") == Sent("second", 2)
    assert way.within("third") is None
    assert OnTheWay().within("") is None


def test_of_one_message_the_last_is_meant_and_old_ones_are_forgotten() -> None:
    way = OnTheWay()
    way.send("same", 1)
    way.send("other", 2)
    way.send("same", 3)
    assert way.within("same") == Sent("same", 3)
    for number in range(100):
        way.send(f"message <{number}>", number)
    assert way.within("same") is None
    assert way.within("message <0>") == Sent("message <0>", 0)
