from __future__ import annotations

import pytest

from tensordbg.debug.plan import DebugPlan


@pytest.mark.parametrize(
    "plan", [DebugPlan(), DebugPlan("run; lt -f 'Log* : min < 0'", True, ("a b.py", "c.py"), ("a.py:3 if x > 1",), 7)]
)
def test_a_plan_comes_through_as_one_word(plan: DebugPlan) -> None:
    assert DebugPlan.from_json(plan.to_json()) == plan
