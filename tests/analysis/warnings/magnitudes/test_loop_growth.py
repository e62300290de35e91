"""Growth from turn to turn of a loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.warnings.magnitudes.loop_growth import growth_in_loops
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(state: Callable[[int, int], float], turns: int = 40, steps: int = 4) -> list[Finding]:
    """What is said of a loop whose state is some number in each turn of each step."""
    trace = TraceBuilder()
    cond, body, f = trace.function("cond"), trace.function("body"), trace.function("f")
    held = body.op("Mul", body.argument("state"), line=5)
    body.returns(held)
    cond.returns(cond.op("Less", cond.argument("state"), dtypes=["bool"]))
    f.returns(*f.loop(cond, body, f.argument("start")))
    for step in range(steps):
        run = trace.run(f)
        for turn in range(turns):
            run.event(held, [state(step, turn), 0.0], path="while/body/_1", frame=1 + step, iteration=turn)
    return growth_in_loops(studied(trace))


def test_what_is_multiplied_in_each_turn() -> None:
    (finding,) = findings(lambda step, turn: 0.1 * 1.5**turn)
    assert finding.kind == "growing_in_loop"
    assert finding.evidence["turns"] == 40
    assert finding.evidence["last"] == pytest.approx(0.1 * 1.5**39)
    assert "grows exponentially over the 40 iterations of a loop within a step" in finding.explanation


@pytest.mark.parametrize(
    "state",
    [
        lambda step, turn: float(turn) ** 4,  # as a power of the turn
        lambda step, turn: 1.05**turn,
        lambda step, turn: 1e-9 * 1.5**turn,
        lambda step, turn: 0.1 * 1.5**turn if step == 0 else 1.0,
        lambda step, turn: 1.0 if turn < 20 else 1e6,
    ],
)
def test_what_grows_otherwise_is_no_trouble(state: Callable[[int, int], float]) -> None:
    assert findings(state) == []


def test_of_a_short_loop_nothing_is_said() -> None:
    assert findings(lambda step, turn: 10.0**turn, turns=8) == []
