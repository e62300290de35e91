from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.errors import UsageError
from tensordbg.trapping.plan import AskedCall, OnBad, TrapPlan, call_of, on_bad_of
from tensordbg.trapping.rules import StepRules


def test_a_plan_goes_to_another_process_and_back() -> None:
    plan = TrapPlan(Path("a b/captures"), OnBad.SKIP, 3, 1000, StepRules(8.0, 50, 1e3))
    assert TrapPlan.from_json(plan.to_json()) == plan
    plan = TrapPlan(Path("captures"), OnBad.RECORD, call=AskedCall("predict*", 3))
    assert TrapPlan.from_json(plan.to_json()) == plan


def test_a_call_is_named_by_its_function_and_number() -> None:
    assert call_of("infer") == AskedCall("infer", 0)
    assert call_of("infer:12") == AskedCall("infer", 12)
    for words in ("", ":3", "infer:", "infer:x"):
        with pytest.raises(UsageError, match="names no call; write FUNCTION, or FUNCTION:N for a later one than the"):
            call_of(words)


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(UsageError, match="on_bad is 'halt', but must be one of stop, skip, record; choose one"):
        on_bad_of("halt")
    with pytest.raises(UsageError, match="0 captures can't be kept; give a number from 1"):
        TrapPlan(Path("captures"), most=0)
