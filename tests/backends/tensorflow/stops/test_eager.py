from __future__ import annotations

import functools
from typing import Any

from tensordbg.backends.tensorflow.stops.eager import codes_of


def plain(x: int) -> int:
    return x


def test_the_code_of_whatever_can_be_called_is_found() -> None:
    class Called:
        def __call__(self) -> int:
            return 1

        def method(self) -> int:
            return 2

    @functools.wraps(plain)
    def wrapping(*args: Any) -> int:
        return plain(*args)

    assert plain.__code__ in codes_of(functools.partial(plain, 1))
    assert list(codes_of(Called())) == [Called.__call__.__code__]
    assert Called.method.__code__ in codes_of(Called().method)
    assert [code.co_name for code in codes_of(wrapping)] == ["wrapping", "plain"]
    assert list(codes_of(len)) == []
