"""Lists of words in sentences."""

from __future__ import annotations

import pytest

from tensordbg.enumeration import first_few


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, ""), (1, "w0"), (3, "w0, w1, w2"), (4, "w0, w1, w2 and 1 more"), (1_500, "w0, w1, w2 and 1,497 more")],
)
def test_the_first_few(count: int, text: str) -> None:
    assert first_few([f"w{k}" for k in range(count)], 3) == text
