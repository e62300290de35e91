"""Findings that wait for what takes their tensors: that may be a choice alone, which is no trouble.

In `torch.where(p > 0, torch.log(p), 0.0)` the logarithm is computed before anybody knows what will become of it. Where
code on the stack goes on to choose, what is bad is let go on through arithmetic; the observer follows it
(`checker/checker.cpp`), and asks here when anything else takes it: a backward pass, a write, Python that reads it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from types import FrameType

from tensordbg.checking.choosing_code import callers, goes_on_to_choose
from tensordbg.checking.found import CheckFound
from tensordbg.packages import is_part_of
from tensordbg.recording.usercode import UserCode

_PYTORCH = frozenset({"torch"})
_FEW = 256

Words = tuple[str, CheckFound]
"""The message, and what an exception carries, should it be raised."""


class Waiting:
    """The findings of this process whose tensors nothing but arithmetic has taken yet."""

    def __init__(self, user_code: UserCode, held: Callable[[], AbstractSet[int]]) -> None:
        """Takes what tells the program's own code, and what tells which findings still wait."""
        self._user_code = user_code
        self._held = held
        self._numbers = itertools.count(1)
        self._most = _FEW
        self._words: dict[int, Words] = {}

    def may_choose(self, frame: FrameType | None) -> bool:
        """Whether code on the stack that is neither PyTorch's nor ours goes on to choose among elements."""
        files = (each.f_code.co_filename for each in callers(frame) if goes_on_to_choose(each))
        return any(
            self._user_code.is_user(file) or not (is_part_of(file, _PYTORCH) or self._user_code.is_own(file))
            for file in files
        )

    def begins(self, words: Words) -> int:
        """Has a finding wait; returns its number."""
        if len(self._words) >= self._most:
            held = self._held()
            self._words = {number: each for number, each in self._words.items() if number in held}
            self._most = max(_FEW, 2 * len(self._words))
        number = next(self._numbers)
        self._words[number] = words
        return number

    def words(self, number: int) -> Words | None:
        """The words for a finding that is raised now; None of one that is not known."""
        return self._words.get(number)
