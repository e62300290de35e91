from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.model import Function, Site, TensorRef, Variable
from tensordbg.trace.program.proportion import MOST_NUMBERS, MOST_SLOTS, is_in_proportion, most_numbers

SITE = Site(7, "Log", "Log", -1, -1, (TensorRef(3, 0),), reads=(1,))
FUNCTION = Function(2, "f", "f_2", 2, 0, (3,), (TensorRef(3, 1),), (-1,))


def test_numbers_of_a_process_may_begin_late() -> None:
    most = most_numbers(10)
    assert most > MOST_NUMBERS
    for value in (SITE, replace(SITE, site=MOST_NUMBERS), FUNCTION, Variable(1, "v", "float32", "[]"), "path"):
        assert is_in_proportion(value, most)


@pytest.mark.parametrize("name", ["site", "function", "stack", "argument", "gradient_of", "reads", "writes"])
def test_a_site_with_a_number_of_billions(name: str) -> None:
    number = 2_000_000_000
    wrong = (number,) if isinstance(getattr(SITE, name), tuple) else number
    assert not is_in_proportion(replace(SITE, **{name: wrong}), most_numbers(10))


def test_references_of_billions() -> None:
    most = most_numbers(10)
    assert not is_in_proportion(replace(SITE, inputs=(TensorRef(2**30, 0),)), most)
    assert not is_in_proportion(replace(SITE, inputs=(TensorRef(0, MOST_SLOTS),)), most)
    assert not is_in_proportion(replace(FUNCTION, outputs=(TensorRef(2**30, 0),)), most)
    assert not is_in_proportion(replace(FUNCTION, arguments=(2**30,)), most)
    assert not is_in_proportion(replace(FUNCTION, graph=2**30), most)
