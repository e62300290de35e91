"""Delta debugging: the smallest part of something that still fails.

The algorithm is `ddmin` of A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
Transactions on Software Engineering 28(2), 2002. It needs about the logarithm of the size in tests where one element is
to blame, and at worst its square.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence


def smallest_failing(elements: Sequence[int], fails: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """A part that fails, and no longer does if any one element is left out.

    Args:
        elements: The whole, which fails.
        fails: Whether a part, in the order of the whole, fails; never asked of nothing.
    """
    part = list(elements)
    pieces = 2
    while len(part) > 1:
        divided = _divided(part, pieces)
        rests = [[each for each in part if each not in set(piece)] for piece in divided] if pieces > 2 else []
        smaller = next((each for each in (*divided, *rests) if fails(each)), None)
        if smaller is not None:
            pieces = 2 if len(smaller) <= -(-len(part) // pieces) else pieces - 1
            part = smaller
        elif pieces < len(part):
            pieces = min(2 * pieces, len(part))
        else:
            break
    return tuple(part)


def _divided(part: list[int], pieces: int) -> list[list[int]]:
    bounds = [len(part) * i // pieces for i in range(pieces + 1)]
    return [part[begin:end] for begin, end in itertools.pairwise(bounds)]
