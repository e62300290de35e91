from __future__ import annotations

import pytest

from tensordbg.errors import UsageError
from tensordbg.recording.value_filter import DEFAULT_BUDGET, Place, ValueFilter, parse_size, size_text

PLACE = Place("model/dense/MatMul", "MatMul", "train_step", "/code/net/train.py")


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        (ValueFilter(), True),
        (ValueFilter(name="dense"), True),
        (ValueFilter(name="^dense"), False),
        (ValueFilter(name=r"dense/\w+$", op_types=("Add", "MatMul")), True),
        (ValueFilter(op_types=("Mat",)), False),
        (ValueFilter(function="train_step"), True),
        (ValueFilter(function="train"), False),
        (ValueFilter(function="train*"), True),
        (ValueFilter(file="train.py"), True),
        (ValueFilter(file="net/train.py"), True),
        (ValueFilter(file="/code/net/train.py"), True),
        (ValueFilter(file="rain.py"), False),
        (ValueFilter(name="dense", file="other.py"), False),
    ],
)
def test_all_that_is_given_must_hold(wanted: ValueFilter, taken: bool) -> None:
    assert wanted.has(PLACE) is taken


def test_steps() -> None:
    for steps, taken in [((None, None), "0123"), ((1, 2), "12"), ((2, None), "23"), ((None, 0), "0")]:
        wanted = ValueFilter(steps=steps)
        assert "".join(str(step) for step in range(4) if wanted.has_step(step)) == taken
        assert wanted.by_step is (steps != (None, None))


def test_as_a_word_and_back() -> None:
    for wanted in (ValueFilter(), ValueFilter("a|b", ("Add", "Mul"), "f*", "x y.py", (None, 3), 17)):
        assert ValueFilter.from_json(wanted.to_json()) == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "*/kernel"}, r"the name '\*/kernel' is no regular expression \(nothing to repeat at position 0\)"),
        ({"steps": (3, 2)}, "the steps 3 to 2 are no range"),
        ({"steps": (-1, None)}, "the steps -1 to None are no range"),
        ({"budget": -1}, "a budget of -1 bytes is not possible"),
    ],
)
def test_mistakes(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ValueFilter(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("4096", 4096), ("1K", 1024), ("500M", 500 * 2**20), ("1.5GiB", 3 * 2**29), ("2 tb", 2**41), ("7b", 7)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1", "3x", "1e9", "1 2"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="is no size; write bytes, or a number with K, M, G or T, such as 500M"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [size_text(size) for size in (0, 200, 2**20, 3 * 2**19, DEFAULT_BUDGET)] == [
        "0 bytes",
        "200 bytes",
        "1 MiB",
        "1.5 MiB",
        "2 GiB",
    ]
