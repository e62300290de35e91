from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer


def test_two_runs_are_compared_element_by_element(console: Console) -> None:
    said = answer(console, "diff Log 1 2")
    assert said[0] == "Log:0: run 1 and run 2"
    assert [line.split()[0] for line in said[2:4]] == ["1", "2"]
    assert any("of 128 elements differ" in line for line in said)
    assert "B - A:" in said
    assert any("inf" in line for line in said[said.index("B - A:") :])


def test_what_is_the_same_is_said_so_and_nan_is_like_nan(console: Console) -> None:
    assert "All elements are the same." in answer(console, "diff x 1 2")
    assert "All elements are the same." in answer(console, "diff Log 3 4")


def test_by_default_the_last_two_runs(console: Console) -> None:
    assert answer(console, "diff Log")[0] == "Log:0: run 3 and run 4"
    assert answer(console, "diff Log 1")[0] == "Log:0: run 1 and run 4"


def test_an_element_of_the_difference_is_gone_to(console: Console) -> None:
    page = console.answer("diff Log 1 2").page
    there = console.answer("@[0,0]").page
    assert page is not None
    assert there is not None
    assert there.start == len(page) - 32


def test_one_run_is_too_few(console: Console) -> None:
    with pytest.raises(UsageError, match=r"OneHot:0 was computed in 0 run.s., and two are compared"):
        console.answer("diff OneHot")
    with pytest.raises(UsageError, match="no run 9 is in the trace; the runs that were recorded are 1 to 4"):
        console.answer("diff Log 1 9")


def test_another_trace_is_compared_with_this_one(console: Console) -> None:
    said = answer(console, f"diff {console.folder}")
    assert said[0].endswith("(B)")
    assert said[1].startswith("The same: ")
