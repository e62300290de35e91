from __future__ import annotations

from tensordbg.replaying.plan import ReplayPlan


def test_a_plan_goes_to_the_process_that_replays() -> None:
    plan = ReplayPlan("captures/a", 7, bisect=True, precision="float64", changes=("x=1",))
    assert ReplayPlan.from_json(plan.to_json()) == plan
