from __future__ import annotations

import pytest

from tensordbg.analysis.failures.beginnings.unequal_elements import unequal_shapes


@pytest.mark.parametrize(
    ("message", "shapes"),
    [
        (
            "Cannot batch tensors of 2 shapes. First element had shape [3] and element 2 had shape [4,2].",
            ((4, 2), (3,)),
        ),
        (
            "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [1], [batch]: []",
            ((1,), ()),
        ),
        ("Incompatible shapes: [3] vs. [4]", None),
    ],
)
def test_the_shapes_of_a_message(message: str, shapes: object) -> None:
    assert unequal_shapes(message) == shapes
