"""Traits imply others, and those others in turn."""

from __future__ import annotations

from tensordbg.operations.traits import Trait, with_implied


def test_what_is_implied_is_followed_to_its_end() -> None:
    assert with_implied([Trait.PASSES]) == {
        *(Trait.PASSES, Trait.REARRANGES, Trait.MOVES, Trait.LIGHT, Trait.NO_LARGER)
    }


def test_nothing_implies_nothing() -> None:
    assert with_implied([]) == frozenset()
