"""Sites are chosen when they come by, and switched at the edges of a range of steps."""

from __future__ import annotations

import pytest

from tensordbg.model import NONE, CallKind, Frame, Function, Site, TensorRef
from tensordbg.recording.value_choice import ValueChoice
from tensordbg.recording.value_filter import ValueFilter

USER = Frame("/code/train.py", 3, "main", True)
LIBRARY = Frame("/lib/keras.py", 9, "call", False)


class Rows:
    """Notes what is passed on."""

    def __init__(self) -> None:
        self.passed: list[object] = []

    def sites(self, sites: object) -> None:
        self.passed.append(sites)

    def stack(self, *row: object) -> None:
        self.passed.append(row)

    function = source = variable = sites


class Kept:
    """The sites that are kept now, and how often that was changed."""

    def __init__(self) -> None:
        self.sites: set[int] = set()
        self.changes = 0

    def choose(self, sites: list[int], kept: bool) -> None:
        self.changes += 1
        (self.sites.update if kept else self.sites.difference_update)(sites)


@pytest.fixture
def kept() -> Kept:
    return Kept()


def choice(kept: Kept, wanted: ValueFilter, sink: Rows | None = None) -> ValueChoice:
    """After function 0 (`train`, sites 1 and 2, which calls), function 1 (`inner`, site 3) and eager sites 4 and 5."""
    made = ValueChoice(sink or Rows(), wanted, kept.choose)  # type: ignore[arg-type]
    made.stack(0, (USER, LIBRARY))
    made.stack(1, (LIBRARY,))
    made.sites([Site(3, "inner/Mul", "Mul", 1, 1)])
    made.function(Function(1, "inner", "inner_1", 1))
    made.sites(
        [Site(1, "Log", "Log", 0, 0), Site(2, "call", "PartitionedCall", 0, 0, call=CallKind.CALL, called=("inner_1",))]
    )
    made.function(Function(0, "train", "train_0", 0, outputs=(TensorRef(1, 0),)))
    made.sites([Site(4, "AddV2", "AddV2", NONE, 0), Site(5, "Mul", "Mul", NONE, NONE)])
    return made


@pytest.mark.parametrize(
    ("wanted", "sites"),
    [
        (ValueFilter(), {1, 2, 3, 4, 5}),
        (ValueFilter(name="Mul$"), {3, 5}),
        (ValueFilter(op_types=("Log", "AddV2")), {1, 4}),
        (ValueFilter(function="train"), {1, 2}),
        (ValueFilter(function="main"), {4}),
        (ValueFilter(file="train.py"), {1, 2, 4}),
        (ValueFilter(file="keras.py"), {3}),
        (ValueFilter(name="Mul", function="inner"), {3}),
    ],
)
def test_sites_of_a_filter(kept: Kept, wanted: ValueFilter, sites: set[int]) -> None:
    choice(kept, wanted)
    assert kept.sites == sites


def test_a_site_waits_for_the_name_of_its_function(kept: Kept) -> None:
    made = ValueChoice(Rows(), ValueFilter(), kept.choose)  # type: ignore[arg-type]
    made.sites([Site(1, "Log", "Log", 7, NONE)])
    assert kept.sites == set()
    made.function(Function(7, "train", "train_7", 7))
    assert kept.sites == {1}
    # A forward pass made of the same graph has sites of its own too.
    made.sites([Site(2, "Neg", "Neg", 7, NONE)])
    assert kept.sites == {1, 2}


def test_everything_is_passed_on(kept: Kept) -> None:
    sink = Rows()
    choice(kept, ValueFilter(name="nothing"), sink)
    assert len(sink.passed) == 7
    assert kept.changes == 0


def test_steps_of_a_function_and_all_that_it_calls(kept: Kept) -> None:
    made = choice(kept, ValueFilter(steps=(1, 2)))
    seen = []
    for step in range(5):
        made.begin_function(0, step)
        seen.append(sorted(kept.sites))
    assert seen == [[], [1, 2, 3], [1, 2, 3], [], []]
    assert kept.changes == 2


def test_a_function_that_two_others_call_follows_the_one_that_runs(kept: Kept) -> None:
    made = choice(kept, ValueFilter(steps=(1, None)))
    made.begin_function(0, 1)
    made.sites([Site(6, "call", "PartitionedCall", 2, 0, call=CallKind.CALL, called=("inner_1",))])
    made.function(Function(2, "evaluate", "evaluate_2", 2))
    made.begin_function(2, 0)
    assert kept.sites == {1, 2}
    made.begin_function(0, 2)
    assert kept.sites == {1, 2, 3}
    made.begin_function(2, 1)
    assert kept.sites == {1, 2, 3, 6}


def test_sites_that_come_later_to_a_graph_that_is_kept(kept: Kept) -> None:
    made = choice(kept, ValueFilter(steps=(1, None)))
    made.begin_function(0, 1)
    made.sites([Site(7, "Neg", "Neg", 0, NONE), Site(8, "Abs", "Abs", 1, NONE), Site(9, "Abs", "Abs", NONE, NONE)])
    assert kept.sites == {1, 2, 3, 7, 8}


def test_steps_of_an_eager_operation(kept: Kept) -> None:
    made = choice(kept, ValueFilter(name="Add", steps=(None, 0)))
    made.begin_site(4, 0)
    made.begin_site(5, 0)
    assert kept.sites == {4}
    made.begin_site(4, 1)
    made.begin_site(5, 1)
    assert kept.sites == set()


def test_without_steps_nothing_is_switched(kept: Kept) -> None:
    made = choice(kept, ValueFilter())
    before = kept.changes
    made.begin_function(0, 0)
    made.begin_site(4, 0)
    assert kept.changes == before


def test_steps_of_a_training_count_for_all_sites_of_its_framework(kept: Kept) -> None:
    made = choice(kept, ValueFilter(steps=(1, 1)))
    made.begin_training_step("torch", 0)
    made.sites([Site(6, "aten::mul", "aten::mul", NONE, 0, framework="torch")])
    assert kept.sites == set()
    made.begin_training_step("torch", 1)
    made.sites([Site(7, "aten::add", "aten::add", NONE, 0, framework="torch")])
    assert kept.sites == {6, 7}
    changes = kept.changes
    made.begin_training_step("torch", 1)
    assert kept.changes == changes
    made.begin_training_step("torch", NONE)
    assert kept.sites == set()
