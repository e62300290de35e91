from __future__ import annotations

from tensordbg.engines.here import Here
from tests.engines.dying import doubled


def test_it_answers_in_order() -> None:
    assert Here().map(doubled, range(3)) == [0, 2, 4]
