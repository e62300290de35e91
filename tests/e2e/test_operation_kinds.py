"""Real operations of TensorFlow that make something not finite: `why` names the cause of each, none is unknown.

The table of `operations/tensorflow` says what an operation computes; here each of its types of which a rule
computes something is held against the operation itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Operation
from tensordbg.operations.tensorflow import TABLE
from tensordbg.operations.traits import Trait
from tensordbg.wire.why import why_to_json
from tests.e2e.operation_cases import CASES, OUTSIDE, OperationCase

Answers = dict[int, list[dict[str, Any]]]


def given_alone(case: OperationCase) -> dict[str, Any]:
    """What an operation is given, in tensors of its own: overflows of one and the same tensor are one trouble."""
    return {name: tf.nest.map_structure(_copy, given) for name, given in case.given.items()}


def _copy(given: Any) -> Any:
    return tf.constant(given.numpy()) if isinstance(given, tf.Tensor) else given


def run_on_line(number: int, case: OperationCase) -> Any:
    """Runs an operation from a line of its own, so that it is a site of its own."""
    called = compile("\n" * number + "operation(**given)", f"{__file__}.cases", "eval")
    return eval(called, {"operation": getattr(tf.raw_ops, case.op_type), "given": case.given})


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """The origins by the line of their operation.

    What is given infinities is recorded by itself: infinities that were there before would seem to come back.
    """
    found: Answers = {}
    alone = [[number] for number, case in enumerate(CASES) if holds_infinities(case)]
    for chosen in ([k for k, case in enumerate(CASES) if not holds_infinities(case)], *alone):
        cases = {number: replace(CASES[number], given=given_alone(CASES[number])) for number in chosen}
        with tensordbg.record(tmp_path_factory.mktemp("trace")) as recording:
            for number, case in cases.items():
                result = run_on_line(number, case)
                assert not all_finite(result), f"{CASES[number].op_type} gave finite numbers"
        for origin in why_to_json(tensordbg.open(recording.path).why())["origins"]:
            for frame in origin["stack"]:
                if frame["file"] == f"{__file__}.cases":
                    found.setdefault(frame["line"] - 1, []).append(origin)
    return found


def holds_infinities(case: OperationCase) -> bool:
    numbers = [given for given in case.given.values() if isinstance(given, tf.Tensor | list)]
    return case.cause == OUTSIDE or not all_finite(numbers)


def all_finite(tensors: Any) -> bool:
    held = [each.numpy() for each in tf.nest.flatten(tensors) if isinstance(each, tf.Tensor)]
    return all(np.isfinite(each).all() for each in held if each.dtype.kind in "fc")


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{k}-{case.op_type}" for k, case in enumerate(CASES)])
def test_the_cause_is_named(answers: Answers, number: int) -> None:
    case = CASES[number]
    named = [(each["cause"], each["explanation"]) for each in answers[number] if each["op_type"] == case.op_type]
    assert [cause for cause, _ in named[:1]] == [case.cause], named


NOT_TRIED = {
    "AccumulateNV2": "is rewritten before it runs",
    "BandedTriangularSolve": "the same as MatrixTriangularSolve, for a band",
    "MatrixInverse": "raises for what has no inverse",
    "MatrixSolve": "raises for what has no solution",
    "MatrixSolveLs": "raises, or finds the least solution",
    "ScatterDiv": "writes into a variable of TensorFlow 1: tests/e2e/test_updates.py",
    "SegmentSumV2": "has a kernel in XLA alone",
    "StatelessRandomGammaV2": "as RandomGamma, with a key",
    "StatelessRandomGammaV3": "as RandomGamma, with a key",
    "TruncateDiv": "is for whole numbers",
}


COMPUTING = (
    *(Trait.ADDS, Trait.MULTIPLIES, Trait.MULTIPLIES_MANY, Trait.EXPONENTIAL, Trait.EVEN, Trait.TAKES_MAXIMUM_AWAY),
)


def _is_computed_with(known: Operation) -> bool:
    return bool(known.operands or known.degree or known.domains or known.of_matrix)


def test_every_type_of_the_table_is_tried() -> None:
    stated = {op_type for trait in COMPUTING for op_type in TABLE.traits.get(trait, ())}
    known = stated | {op_type for op_type in TABLE.types() if _is_computed_with(operation("tensorflow", op_type))}
    assert known - {case.op_type for case in CASES} - set(NOT_TRIED) == set()
