"""Infinities that a rule allows are no trouble; a NaN made of them is."""

from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why
from tensordbg.trace.program.facts import TraceFacts
from tests.analysis.builder import TraceBuilder, inf, names, nan


def result_of(rule: dict[str, Any] | None, log: list[float], out: list[float]) -> WhyResult:
    """A function that returns what it makes of a logarithm, recorded under a rule."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    logarithm = f.op("Log", x, name="mask/Log")
    difference = f.op("Sub", logarithm, logarithm)
    f.returns(difference)
    run = trace.run(f)
    run.event(x, [0.0, 1.0])
    run.event(logarithm, log)
    run.event(difference, out)
    trace.facts = TraceFacts(allow=() if rule is None else (rule,))
    return why(trace)


@pytest.mark.parametrize("rule", [{"op": "Log"}, {"name": "*mask*"}, {"op": "L*", "name": "mask/Log"}])
def test_an_allowed_infinity_does_not_matter(rule: dict[str, Any]) -> None:
    (origin,) = result_of(rule, [-inf, 0.0], [-inf, 0.0]).origins
    assert (origin.view.tensor, origin.consequential, bool(origin.reaches)) == ("mask/Log:0", False, True)
    assert origin.allowed == ", ".join(f"{key} = {value!r}" for key, value in rule.items())


def test_another_infinity_matters() -> None:
    (origin,) = result_of({"op": "Exp"}, [-inf, 0.0], [-inf, 0.0]).origins
    assert (origin.consequential, origin.allowed) == (True, "")


def test_a_nan_made_of_an_allowed_infinity_matters() -> None:
    result = result_of({"op": "Log"}, [-inf, 0.0], [nan, 0.0])
    assert names(result)[0] == "Sub:0"
    assert [origin.consequential for origin in result.origins] == [True, False]


def test_a_nan_is_not_allowed_unless_the_rule_says_so() -> None:
    assert result_of({"op": "Log"}, [nan, 0.0], [nan, 0.0]).origins[0].consequential
    assert not result_of({"op": "Log", "nan": True}, [nan, 0.0], [nan, 0.0]).origins[0].consequential


def test_a_rule_that_is_not_understood_is_passed_over() -> None:
    assert result_of({"shape": [3]}, [-inf, 0.0], [-inf, 0.0]).origins[0].consequential
