"""Rules of what is meant: what they hold for, and what is said of one that is not understood."""

from __future__ import annotations

import pytest

from tensordbg.allowed import AllowRule, applicable, as_tables, rules_of
from tensordbg.errors import UsageError
from tensordbg.model import Frame

STACK = (Frame("/home/me/train.py", 10, "main", True), Frame("/home/me/parts/model.py", 42, "call", True))


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        (AllowRule(op="SelectV2"), True),
        (AllowRule(op="Select*"), True),
        (AllowRule(op="Select"), False),
        (AllowRule(name="*/mask*"), True),
        (AllowRule(name="mask"), False),
        (AllowRule(line="model.py:42"), True),
        (AllowRule(line="model.py:40-48"), True),
        (AllowRule(line="model.py"), True),
        (AllowRule(line="parts/*.py:42"), True),
        (AllowRule(line="/home/me/train.py:10"), True),
        (AllowRule(line="odel.py:42"), False),
        (AllowRule(line="model.py:43"), False),
        (AllowRule(op="SelectV2", line="model.py:43"), False),
        (AllowRule(op="SelectV2", name="*mask*", line="train.py:10"), True),
    ],
)
def test_what_a_rule_holds_for(rule: AllowRule, holds: bool) -> None:
    assert rule.fits("SelectV2", "attention/mask/SelectV2", STACK) is holds
    assert applicable([rule], "SelectV2", "attention/mask/SelectV2", STACK) == ((rule,) if holds else ())


def test_tables() -> None:
    tables = [{"op": "SelectV2"}, {"name": "*/mask*", "nan": True}]
    rules = rules_of(tables, "allow")
    assert rules == (AllowRule(op="SelectV2"), AllowRule(name="*/mask*", nan=True))
    assert as_tables(rules) == tables
    assert rules_of(rules, "allow") == rules
    assert str(rules[1]) == "name = '*/mask*', nan = true"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("SelectV2", "allow is 'SelectV2', but must be a list of rules; write it as ["),
        (["SelectV2"], "allow[0] is 'SelectV2', but a rule is a table with op, name or line; write {op"),
        ([{"type": "A"}], "allow[0] has the key 'type', but a rule knows op, name, line and nan; take it out"),
        ([{"op": "A"}, {"op": 3}], "allow[1] has op = 3, but it must be a text; fix it"),
        ([{"op": "A", "nan": "yes"}], "allow[0] has nan = 'yes', but it must be true or false; fix it"),
        ([{"nan": True}], "allow[0] allows everything; give it an op, a name or a line, as in {op"),
    ],
)
def test_what_is_not_understood(given: object, error: str) -> None:
    with pytest.raises(UsageError) as refused:
        rules_of(given, "allow")
    assert str(refused.value).startswith(error)
    assert "\n" not in str(refused.value)
