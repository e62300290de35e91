from __future__ import annotations

import pytest

from tensordbg.analysis.view.graphs.secondary import Secondary, secondary_of, secondary_together
from tensordbg.model import NONE, Site

FORWARD = Site(1, "MatMul", "MatMul", 0, NONE, framework="tensorflow")
CONSTANT = Site(2, "Const", "Const", 0, NONE, framework="tensorflow")
GRADIENT = Site(3, "gradients/MatMul", "MatMul", 0, NONE, framework="tensorflow", backward=True)
ONES = Site(4, "gradients/ones", "Const", 0, NONE, framework="tensorflow", backward=True)


def test_an_operation_by_itself() -> None:
    assert [secondary_of(each) for each in (FORWARD, CONSTANT, GRADIENT, ONES)] == [
        Secondary.NO,
        Secondary.CONSTANT,
        Secondary.BACKWARD,
        Secondary.BACKWARD,
    ]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ((), Secondary.NO),
        ((FORWARD, CONSTANT), Secondary.NO),
        ((FORWARD, GRADIENT), Secondary.NO),
        ((CONSTANT,), Secondary.CONSTANT),
        ((GRADIENT, ONES), Secondary.BACKWARD),
        ((GRADIENT, CONSTANT), Secondary.BACKWARD),
    ],
)
def test_a_box_is_what_all_in_it_are(inside: tuple[Site, ...], expected: Secondary) -> None:
    assert secondary_together(inside) is expected
