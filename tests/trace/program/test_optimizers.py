from __future__ import annotations

from tensordbg.trace.program.facts import collect_facts
from tensordbg.trace.program.optimizers import OptimizerSettings, collect_optimizers

ROW = {"number": 1, "group": 0, "type": "Adam", "step": 3, "settings": {"lr": 0.1, "betas": [0.9, 0.99], "fused": None}}


def test_later_rows_are_on_the_variables_of_the_first() -> None:
    later = {**ROW, "step": 5, "settings": {"lr": 0.2}}
    first, second = collect_optimizers([{**ROW, "variables": [4, 2], "held": {"decay": 7}}, later])
    settings = {"lr": 0.1, "betas": (0.9, 0.99), "fused": None}
    assert first == OptimizerSettings(1, 0, "Adam", 3, settings, (4, 2), {"decay": 7})
    assert second == OptimizerSettings(1, 0, "Adam", 5, {"lr": 0.2}, (4, 2))


def test_what_is_not_understood_is_passed_over() -> None:
    rows = [None, 3, {}, {**ROW, "step": -1}, {**ROW, "number": 2**60}, {**ROW, "settings": 3}, {**ROW, "held": []}]
    assert collect_optimizers(rows) == ()
    odd = {**ROW, "settings": {"lr": {"a": 1}, "betas": ["x"]}, "variables": [1, "2", -3], "held": {"lr": "x"}}
    assert collect_optimizers([odd]) == (OptimizerSettings(1, 0, "Adam", 3, {"lr": None, "betas": None}, (1,)),)


def test_facts_have_them() -> None:
    assert [each.step for each in collect_facts([{"optimizer": ROW}, {"warning": "x"}]).optimizers] == [3]
