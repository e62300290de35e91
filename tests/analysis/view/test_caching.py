from __future__ import annotations

import threading
import time

import pytest

from tensordbg.analysis.view.caching import Recent, kept


class Slow:
    def __init__(self) -> None:
        self.made: list[str] = []

    @kept
    def value(self) -> int:
        """A number."""
        self.made.append("value")
        time.sleep(0.02)
        return len(self.made)

    @kept
    def doubled(self) -> int:
        return 2 * self.value

    @kept
    def failing(self) -> int:
        self.made.append("failing")
        raise ValueError("no")


def test_worked_out_once_by_many_threads() -> None:
    slow = Slow()
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(slow.doubled)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (seen, slow.made) == ([2] * 8, ["value"])
    assert Slow.value.__doc__ == "A number."


def test_each_instance_has_its_own() -> None:
    first, second = Slow(), Slow()
    assert (first.value, second.value) == (1, 1)


def test_what_failed_is_tried_again() -> None:
    slow = Slow()
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            _ = slow.failing
    assert slow.made == ["failing"] * 2


def test_the_last_ones_asked_for_stay() -> None:
    made: list[str] = []
    recent: Recent[str, str] = Recent(3, len)
    for key in ("a", "bb", "a", "cc", "a", "bb"):
        assert recent.get(key, lambda key=key: made.append(key) or key) == key  # type: ignore[misc]
    assert made == ["a", "bb", "cc", "bb"]


def test_one_that_is_too_large_stays_until_the_next() -> None:
    recent: Recent[str, str] = Recent(3, len)
    recent.get("long", lambda: "longer")
    assert recent.get("long", lambda: "again") == "longer"
    recent.get("b", lambda: "b")
    assert recent.get("long", lambda: "again") == "again"


def test_what_could_not_be_made_is_tried_again() -> None:
    recent: Recent[str, int] = Recent(3)
    with pytest.raises(ZeroDivisionError):
        recent.get("a", lambda: 1 // 0)
    assert recent.get("a", lambda: 1) == 1
