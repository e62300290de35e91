"""The matrix that an operation could not invert, factorize or solve, where another operation has checked its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.operations.traits import Trait


def unsolvable(past: Past, given: Sequence[Made | None]) -> Iterator[tuple[int, Made, Made]]:
    """Yields the place of each tensor that was computed from a matrix, the matrix, and what was computed."""
    for position, made in enumerate(given):
        if made is None or not made.operation.of_matrix:
            continue
        matrix = next(iter(past.inputs(made)), None)
        for _ in steps():
            if matrix is None or not matrix.operation.has(Trait.REARRANGES):
                break
            matrix = next(iter(past.inputs(matrix)), None)
        if matrix is not None:
            yield position, matrix, made
