from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.wraps import wrapped
from tests.analysis.beginnings.drawn import Drawn

TWO: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
}


def told(past: Drawn, op_type: str, array: np.ndarray, *inputs: Made) -> Made:
    span = (float(array.min()), float(array.max()))
    return past.made(op_type, array.shape, *inputs, dtype=array.dtype.name, span=span, total=float(array.sum()))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
def test_sums_of_many_that_fit_are_none_and_those_that_do_not_are_where_the_total_tells(dtype: str) -> None:
    generator = np.random.default_rng(7)
    edges = np.iinfo(dtype)
    wrong = 0
    for _ in range(300):
        low, high = sorted(generator.integers(edges.min, edges.max, 2, endpoint=True).tolist())
        given = generator.integers(low, high, (3, 4), dtype, endpoint=True)
        past = Drawn()
        taken = told(past, "Input", given)
        for op_type, exact in (("Sum", given.sum(0, np.int64)), ("Cumsum", given.cumsum(0, np.int64))):
            gave = exact.astype(dtype)
            fits = bool((exact == gave).all())
            found = wrapped(told(past, op_type, gave, taken), [taken])
            assert not (fits and found)
            wrong += not fits and found
            if op_type == "Sum" and gave.sum(dtype=np.int64) != exact.sum():
                assert found
    assert wrong > 50


@pytest.mark.parametrize("op_type", TWO)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_no_result_that_fits_is_held_to_have_wrapped_and_all_that_do_not_are_where_the_sum_tells(
    op_type: str, dtype: str
) -> None:
    generator = np.random.default_rng(7)
    edges = np.iinfo(dtype)
    wrong = 0
    for _ in range(300):
        end = int(min(edges.max, 2 ** int(generator.integers(1, 31))))
        first, second = (generator.integers(max(edges.min, -end), end, size=5).astype(dtype) for _ in range(2))
        if generator.random() < 0.3:
            second = second[:1]
        with np.errstate(over="ignore"):
            result = TWO[op_type](first, second)
        exact = TWO[op_type](first.astype(object), second.astype(object))
        past = Drawn()
        inputs = told(past, "A", first), told(past, "B", second)
        found = wrapped(told(past, op_type, result, *inputs), inputs)
        fits = bool((result.astype(object) == exact).all())
        assert not (found and fits)
        if not fits and op_type != "Mul" and dtype == "uint8":  # it can only wrap one way
            assert found
        wrong += found
    assert wrong > 0 or dtype in ("int32", "int64")


@pytest.mark.parametrize(
    ("array", "dtype", "expected"),
    [
        (np.array([0.0, 255.7]), "uint8", False),
        (np.array([0.0, 256.0]), "uint8", True),
        (np.array([-1.0, 3.0]), "uint8", True),
        (np.array([-0.5, 3.0]), "uint8", False),
        (np.array([300]), "int8", True),
        (np.array([2**31 - 1]), "int32", False),
    ],
)
def test_a_cast_of_what_the_type_does_not_hold(array: np.ndarray, dtype: str, expected: bool) -> None:
    past = Drawn()
    given = told(past, "A", array)
    assert wrapped(told(past, "Cast", array.astype(np.int64).astype(dtype), given), [given]) is expected


@pytest.mark.parametrize("values", [[3, 16], [3, 15]])
def test_a_square(values: list[int]) -> None:
    past = Drawn()
    array = np.array(values, np.uint8)
    given = told(past, "A", array)
    assert wrapped(told(past, "Square", array * array, given), [given]) is (16 in values)


def test_the_negative_of_the_smallest() -> None:
    past = Drawn()
    array = np.array([-128, 3], np.int8)
    given = told(past, "A", array)
    assert wrapped(told(past, "Abs", np.abs(array), given), [given])
    assert not wrapped(told(past, "Relu", array, given), [given])


def test_nothing_is_said_of_floats_and_of_what_is_not_known() -> None:
    past = Drawn()
    large = told(past, "A", np.array([3e38], np.float32))
    assert not wrapped(told(past, "Mul", np.array([1.0], np.float32), large, large), [large, large])
    small = told(past, "A", np.array([200], np.uint8))
    assert not wrapped(told(past, "AddV2", np.array([44], np.uint8), small), [small, None])
