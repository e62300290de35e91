"""Which runs are recorded and where a program stops, for each way to go on."""

from __future__ import annotations

import pytest

from tensordbg.console.language.filters import Filters
from tensordbg.console.running import Go, GoKind, Recorded
from tensordbg.debug.stepping import Stepping


def walk(go: Go, runs: int, looking: bool = False) -> str:
    """For each run: `|` if the program stops before it, `r` if it is recorded, else `-`, `!` if it stops behind it."""
    stepping = Stepping()
    assert stepping.stops_before
    stepping.follow(go)
    said = ""
    for run in range(runs):
        said += "|" if run and stepping.stops_before else ""
        said += "-" if stepping.records(looking) is None else "r"
        said += "!" if stepping.made() else ""
    return said


TILL = Filters().parse("non_finite")


@pytest.mark.parametrize(
    ("go", "said"),
    [
        (Go(GoKind.RUN), "r!"),
        (Go(GoKind.RUN, times=3), "--r!"),
        (Go(GoKind.RUN, recorded=None), "-|-|-"),
        (Go(GoKind.RUN, times=2, recorded=None), "--|-"),
        (Go(GoKind.RUN, till=TILL), "rrrr"),
        (Go(GoKind.RUN, times=3, till=TILL), "rrr!"),
        (Go(GoKind.STEP), "r|r"),
        (Go(GoKind.CONTINUE), "rrrr"),
        (Go(GoKind.CONTINUE, recorded=None), "----"),
    ],
)
def test_the_course(go: Go, said: str) -> None:
    runs = sum(said.count(each) for each in "r-")
    assert walk(go, runs) == said


def test_where_something_is_looked_for_all_runs_are_recorded() -> None:
    assert walk(Go(GoKind.RUN, times=3), 3, looking=True) == "rrr!"
    assert walk(Go(GoKind.RUN, times=3, recorded=None), 3, looking=True) == "---"


def test_before_the_first_stop_all_is_recorded() -> None:
    assert Stepping().records(looking=False) == Recorded()
