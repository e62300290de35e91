from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.bounded_evaluation import Bounds
from tensordbg.console.language.conditions import parse_condition
from tensordbg.errors import UsageError
from tensordbg.trace.reader import open_trace


@pytest.fixture(scope="module")
def opened(trained: Path) -> OpenedTrace:
    return OpenedTrace(open_trace(trained))


def passing(opened: OpenedTrace, text: str) -> list[str]:
    """The names of the tensors that pass, with their steps."""
    events = np.arange(opened.event_count)
    found = events[parse_condition(text, lambda _: None).holds(opened, events)]
    return [f"{row.tensor}@{row.step}" for row in opened.rows(found)]


def test_a_pattern_and_a_comparison(opened: OpenedTrace) -> None:
    assert passing(opened, "Log* : min < -0.1") == ["Log:0@0"]
    assert passing(opened, "Log : step == 2") == passing(opened, "Log:0: step == 2") == ["Log:0@2"]
    assert passing(opened, "Log:1 : step == 2") == []


def test_a_count_alone_means_that_there_is_one(opened: OpenedTrace) -> None:
    assert passing(opened, "Log : inf") == passing(opened, "Log: neg_inf") == ["Log:0@1"]
    assert passing(opened, "Log:nan") == ["Log:0@2", "Log:0@3"]
    assert len(passing(opened, "non_finite")) > 10


def test_and_or_not_and_brackets(opened: OpenedTrace) -> None:
    assert passing(opened, "Log : nan and step > 2 or inf") == ["Log:0@1", "Log:0@3"]
    assert passing(opened, "Log : nan and (step > 2 or inf)") == ["Log:0@3"]
    assert passing(opened, "Log : not nan and not inf") == ["Log:0@0"]
    assert passing(opened, "(Log : nan or Softmax : nan) and step == 3") == ["Softmax:0@3", "Log:0@3"]
    assert passing(opened, "Log : (max - min) * 2 > 1") == ["Log:0@0"]
    assert passing(opened, "Softmax : zero > 0.5 * size") == ["Softmax:0@1"]
    assert passing(opened, "Log : 0 <= step < 1e+0") == ["Log:0@0"]
    assert passing(opened, "Log : np.abs(min) > 0 and nan == 0") == passing(opened, "Log : abs(min) > 0 and nan == 0")
    assert passing(opened, "Log : numpy.maximum(step, 2) < np.e") == [f"Log:0@{step}" for step in range(3)]


def test_gradients_have_scopes_of_their_own(opened: OpenedTrace) -> None:
    names = {name.partition("@")[0] for name in passing(opened, "gradient/* : size > 0")}
    assert "gradient_tape/Reciprocal:0" in names
    assert all(name.startswith("gradient_tape/") for name in names)
    assert passing(opened, "gradient/Reciprocal : inf") == ["gradient_tape/Reciprocal:0@1"]


def test_what_was_not_measured_fits_no_comparison(opened: OpenedTrace) -> None:
    assert passing(opened, "Log : min < 0 or min >= 0 or nan == size") == [f"Log:0@{step}" for step in range(4)]
    assert passing(opened, "Log : step > 1 and (min < 0 or min >= 0)") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the filter is empty"),
        ("Log : ", "a condition is missing in the filter"),
        ("Log : mim < 3", "no statistic 'mim'; did you mean 'min'?"),
        ("Log : np < 3", "no statistic 'np'; choose from"),
        ("Log : os.abs(min) < 3", "no statistic 'os'; "),
        ("Log : nam", "no filter 'nam'; did you mean 'nan'?"),
        ("(nan", "a bracket is left open"),
        ("nan)", "'.' is not expected there"),
        ("nan inf", "'nan inf' is no condition"),
        ("min + 3", "'min . 3' compares nothing"),
        ("min = 3", "is not understood"),
        ("nan and", "a condition is missing"),
        ("max < min.real", "is not allowed|is no condition"),
    ],
)
def test_what_is_wrong_is_said(opened: OpenedTrace, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        passing(opened, text)


def test_what_may_take_anything_is_computed_within_bounds(opened: OpenedTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    every = passing(opened, "Log : step >= 0")
    # The limits are those of `eval`: so much takes more memory than an expression may.
    taken = "Log : sum(outer(zeros(6000),zeros(6000))) + step >= 0"
    monkeypatch.setattr("tensordbg.console.language.conditions.BOUNDS", Bounds(memory=2**26))
    with pytest.raises(UsageError, match="Unable to allocate"):
        passing(opened, taken)
    assert passing(opened, "Log : argsort(step) >= 0") == every


def test_a_condition_that_does_not_speak_of_each_tensor(opened: OpenedTrace) -> None:
    with pytest.raises(UsageError, match=r"has 3 answers for 4 tensors; a condition says of each whether it holds"):
        passing(opened, "Log : diff(step) > 0")
