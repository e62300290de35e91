from __future__ import annotations

from tensordbg.replaying.program import Patched, ProgramReplay, Way


def test_a_plan_goes_to_the_process_that_runs_the_program() -> None:
    plan = ProgramReplay("captures/a", Way.PDB, "out", "model.py", 7, 5678, Patched("/a/model.py", "/b/fixed.py"))
    assert ProgramReplay.from_json(plan.to_json()) == plan
