from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.filters import Filters
from tensordbg.errors import UsageError
from tensordbg.trace.reader import open_trace


@pytest.fixture(scope="module")
def opened(trained: Path) -> OpenedTrace:
    return OpenedTrace(open_trace(trained))


def passing(opened: OpenedTrace, filters: Filters, text: str) -> list[str]:
    return [row.tensor for row in opened.rows(filters.parse(text).passing(opened, np.arange(opened.event_count)))]


def test_the_old_name_means_the_same(opened: OpenedTrace) -> None:
    assert passing(opened, Filters(), "has_inf_or_nan") == passing(opened, Filters(), "non_finite") != []


def test_a_function_of_the_user_is_given_the_tensor_and_its_elements(opened: OpenedTrace) -> None:
    filters = Filters()
    filters.add("has_zero", lambda tensor, value: tensor.op_type == "Softmax" and (value == 0).any())
    assert passing(opened, filters, "has_zero") == ["Softmax:0"]
    assert passing(opened, filters, "Softmax : not has_zero and step < 2") == ["Softmax:0"]
    assert filters.names[0] == "has_zero"


def test_origins_and_what_is_warned_of_are_filters_too(opened: OpenedTrace) -> None:
    assert "Log:0" in passing(opened, Filters(), "origin")
    assert passing(opened, Filters(), "retracing") == []


def test_the_order_of_the_events_stays(opened: OpenedTrace) -> None:
    events = np.arange(opened.event_count)[::-1]
    found = Filters().parse("non_finite").passing(opened, events)
    assert list(found) == sorted(found.tolist(), reverse=True)


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no filter 'has_inf_or_nam'; did you mean 'has_inf_or_nan'\?"):
        Filters().parse("has_inf_or_nam")


@pytest.mark.parametrize("name", ["nan", "and", "two words", "dead_units", "has_inf_or_nan", "1st"])
def test_names_that_mean_something_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="a filter can't be named"):
        Filters().add(name, lambda tensor, value: True)


def test_a_file_of_filters(opened: OpenedTrace, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def is_log(tensor, value):\n    return tensor.op_type == 'Log'\n")
    filters = Filters()
    assert list(filters.add_file(tmp_path / "own.py")) == ["is_log"]
    assert set(passing(opened, filters, "is_log")) == {"Log:0"}
