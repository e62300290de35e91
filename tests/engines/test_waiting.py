from __future__ import annotations

from itertools import chain, repeat

import pytest

from tensordbg.engines import waiting
from tensordbg.errors import UsageError


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_ALONE", -1.0)


def test_one_waits_as_long_as_there_are_workers() -> None:
    answered = chain(repeat(False, 5), [True])
    waiting.wait_for_answers(lambda _: next(answered), lambda: True, "nobody")
    assert not list(answered)


def test_without_workers_one_gives_up() -> None:
    with pytest.raises(UsageError, match=r"^nobody$"):
        waiting.wait_for_answers(lambda _: False, lambda: False, "nobody")


def test_what_is_answered_needs_no_workers() -> None:
    waiting.wait_for_answers(lambda _: True, lambda: False, "nobody")
