"""Every cause, warning and alert has a fix in every framework, or the framework's file says why it can't come up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.advice import common
from tensordbg.advice.lookup import FIXES, NOT_THERE, fix, title
from tensordbg.analysis.causes.table import TABLE as CAUSES
from tensordbg.analysis.warnings.table import TABLE as WARNINGS
from tensordbg.operations.frameworks import TENSORFLOW, TITLES, TORCH

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"
FRAMEWORKS = sorted(TITLES)
PARTS = {"epsilon", "jump", "lost_gradient", "raised_rate", "replay", "unlike_randomness"}
"""What belongs to several causes, to a replay, or to a comparison."""


def calls() -> Iterator[ast.Call]:
    """All calls of `fix` in what reads traces."""
    for folder in ("analysis", "report"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "fix":
                    yield node


def alerts() -> set[str]:
    found = set()
    for folder in ("alerts", "processes"):
        for path in (PACKAGE / "analysis" / folder).glob("*.py"):
            found |= set(re.findall(r'^ +kind="(\w+)",$', path.read_text(), re.MULTILINE))
    return found


def wrong() -> list[str]:
    return sorted({cause.name for cause in CAUSES} | WARNINGS.keys() | alerts())


def known(framework: str, what: str) -> dict[str, str]:
    return {**common.FIXES.get(what, {}), **FIXES[framework].get(what, {})}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("what", wrong())
def test_each_has_a_fix_in_each_framework_or_a_reason_why_not(framework: str, what: str) -> None:
    assert bool(known(framework, what)) != bool(NOT_THERE[framework].get(what))


@pytest.mark.parametrize(
    "what", [what for what in wrong() if what not in NOT_THERE[TENSORFLOW].keys() | NOT_THERE[TORCH]]
)
def test_the_frameworks_tell_the_same_cases_apart(what: str) -> None:
    assert known(TENSORFLOW, what).keys() == known(TORCH, what).keys()


def test_no_file_has_a_fix_for_what_does_not_exist() -> None:
    assert [what for fixes in (common.FIXES, *FIXES.values()) for what in fixes if what not in {*wrong(), *PARTS}] == []


def test_what_rules_ask_for_is_there() -> None:
    literal = [
        (texts[-2:] if len(texts) > 1 else [*texts, ""])
        for call in calls()
        if (texts := [each.value for each in call.args if isinstance(each, ast.Constant)])
        and all(isinstance(each, ast.Constant) for each in call.args[1:])
        and texts[0] in {*wrong(), *PARTS}
    ]
    assert len(literal) > 20
    everywhere = [asked for asked in literal if asked[0] not in NOT_THERE[TENSORFLOW]]
    assert [asked for asked in everywhere if asked[1] not in known(TENSORFLOW, str(asked[0]))] == []
    assert [asked for asked in literal if asked not in everywhere and asked[1] not in known(TORCH, str(asked[0]))] == []


def test_texts_hold_no_other_words_than_rules_give() -> None:
    given = {str(word.arg) for call in calls() for word in call.keywords}
    held = {
        word
        for fixes in (common.FIXES, *FIXES.values())
        for texts in fixes.values()
        for text in texts.values()
        for word in re.findall(r"{(\w*)}", text)
    }
    assert held <= given


def test_the_framework_comes_before_what_holds_for_all() -> None:
    assert "tf.math.divide_no_nan" in fix(TENSORFLOW, "division_by_zero")
    assert "clamp" in fix(TORCH, "division_by_zero")
    assert fix(TORCH, "division_by_zero", "added_after", added="0.1").startswith("The 0.1 is added to the quotient")


def test_another_framework_has_what_holds_for_all() -> None:
    assert fix("jax", "dead_units").startswith("Lower the learning rate")
    assert fix("jax", "log_of_zero") == fix("jax", "unknown")
    assert (title(TORCH), title("jax")) == ("PyTorch", "the framework")
