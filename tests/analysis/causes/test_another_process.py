"""What came out of an operation that several processes run together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.causes.another_process import overflow_verdict
from tensordbg.analysis.why import why
from tests.analysis.causes.cases import case, cause, inf, nan, verdict
from tests.analysis.workers import RECEIVED, steps, worker


def test_it_came_from_another_process() -> None:
    said = verdict("CollectiveReduceV2", [nan, 1.0], [0.5, 0.5])
    assert said.cause == "from_another_process"
    assert said.explanation == (
        "What was put into this all-reduce here is finite, and 1 NaN among 2 elements came out: they came from another "
        "process."
    )
    assert "tdbg why FOLDER" in said.suggestion


def test_an_infinity_may_have_been_made_on_the_way() -> None:
    said = verdict("CollectiveReduceV2", [inf, 1.0], [6e4, 0.5], dtype="float16")
    assert said.explanation.endswith(
        "they came from another process, or the sum over all of them was beyond 6.55e4, the largest of float16."
    )
    assert "sum" not in verdict("CollectiveGatherV2", [inf, 1.0], [1.0]).explanation


def test_a_broadcast_was_given_nothing_here() -> None:
    assert verdict("CollectiveBcastRecvV2", [nan, 1.0]).explanation == (
        "The broadcast brought 1 NaN among 2 elements, so they came from the process that sent it."
    )


@pytest.mark.parametrize("op_type", ["CollectiveReduce", "CollectiveGatherV2", "CollectiveReduceV3", "NcclAllReduce"])
def test_operations(op_type: str) -> None:
    assert cause(op_type, [nan], [1.0]) == "from_another_process"


@pytest.mark.parametrize(
    ("dtype", "name"), [("float16", "half_precision_overflow"), ("float32", "arithmetic_overflow")]
)
def test_together_they_were_too_large(dtype: str, name: str) -> None:
    given = case("CollectiveReduceV2", [inf, 1.0], [-6e4, 0.5], dtype=dtype)
    (origin,) = why(worker(steps(RECEIVED))).origins
    said = overflow_verdict(replace(origin, view=given.view, inputs=given.inputs), "all-reduce", 4)
    assert said.cause == name
    assert said.explanation.startswith("All 4 put finite numbers into this all-reduce, up to 6e4 here, and 1 +inf")
