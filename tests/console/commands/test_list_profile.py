from __future__ import annotations

from tensordbg.console.console import Console
from tests.console.recorded import answer


def test_calls_are_timed_by_function(console: Console) -> None:
    title, head, row = answer(console, "lp")
    assert title == "Calls from Python:"
    assert head.split()[:2] == ["function", "calls"]
    name, _, calls, total, mean, longest = row.split()
    assert (name, calls) == ("train_step", "4")
    assert float(total) >= float(longest) >= float(mean) > 0


def test_functions_can_be_chosen(console: Console) -> None:
    assert answer(console, "lp -n other")[0] == "No call is recorded."
