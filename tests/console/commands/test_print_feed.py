from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer


def test_what_was_fed_is_listed(standing: Console) -> None:
    said = answer(standing, "pf")
    assert said[0] == "2 feed(s) of run #2: train_step"
    assert [line.split()[0] for line in said[1:]] == ["x:0", "y:0"]


def test_one_of_them_is_shown_in_part(standing: Console) -> None:
    said = answer(standing, "pf y:0[:2]")
    assert said[0] == 'Tensor "y:0[:2]":'
    assert said[-2:] == ["[[1., 0., 0., 0.],", " [0., 1., 0., 0.]]"]


def test_a_wrong_name_is_answered_with_what_there_is(standing: Console) -> None:
    with pytest.raises(UsageError, match="no feed 'z:0' of run 2; it has x:0, y:0"):
        standing.answer("pf z")
