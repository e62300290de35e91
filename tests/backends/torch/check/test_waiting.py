"""Findings wait where code goes on to choose, and are forgotten with their tensors."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from tensordbg.backends.torch.check.waiting import Waiting
from tensordbg.checking.found import CheckFound
from tensordbg.recording.catalog import CATALOG

FOUND = CheckFound("output 0 of log", (), "", "")


def test_code_that_chooses_later_may_choose() -> None:
    waiting = Waiting(CATALOG.user_code, set)
    assert waiting.may_choose(sys._getframe())
    library = SimpleNamespace(where=str)
    library.where("")


def test_what_nothing_holds_any_more_is_forgotten() -> None:
    live: set[int] = set()
    waiting = Waiting(CATALOG.user_code, lambda: live)
    first = waiting.begins(("first", FOUND))
    live.add(first)
    numbers = [waiting.begins((str(number), FOUND)) for number in range(600)]
    assert waiting.words(first) == ("first", FOUND)
    assert waiting.words(numbers[0]) is None
    assert waiting.words(numbers[-1]) == ("599", FOUND)
