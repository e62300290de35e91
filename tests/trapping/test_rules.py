from __future__ import annotations

import math

import pytest

from tensordbg.errors import UsageError
from tensordbg.trapping.rules import GRADIENT_NORM, LOSS_JUMP, PREDICATE, StepReading, StepRules


def test_the_first_rule_that_is_broken_is_named() -> None:
    reading = StepReading("train", 7, loss=9.0, gradient_norm=4.0, loss_score=12.0)
    assert StepRules().broken_by(reading) == ""
    assert not StepRules().any
    assert StepRules(loss_jump=11.0, gradient_norm=3.0).broken_by(reading) == GRADIENT_NORM
    assert StepRules(loss_jump=11.0, gradient_norm=4.0).broken_by(reading) == LOSS_JUMP
    assert StepRules(predicate=lambda step: step.loss > 8.9 and step.step == 7).broken_by(reading) == PREDICATE
    assert StepRules(12.0, predicate=lambda step: False).broken_by(reading) == ""
    assert StepRules(1.0).broken_by(StepReading("train", 0, math.nan, 0.0)) == ""


def test_rules_that_make_no_sense_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"gradient_norm is -1\.0, but must be a positive number, or 0 for no such rule"
    ):
        StepRules(gradient_norm=-1.0)
    with pytest.raises(UsageError, match="loss_jump is nan, but must be"):
        StepRules(loss_jump=math.nan)
    with pytest.raises(UsageError, match="loss_window is 5, but a median needs 20 losses or more"):
        StepRules(loss_window=5)
