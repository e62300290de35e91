"""What the tests of `tdbg diff` ask of a comparison."""

from __future__ import annotations

from tensordbg.analysis.diff.result import Comparison, FirstDifference


def first(result: Comparison) -> FirstDifference:
    """The first difference of two runs that part."""
    assert (result.status, result.first is not None) == ("diverged", True)
    assert result.first is not None
    return result.first


def told(found: FirstDifference) -> list[tuple[str, object, object]]:
    """The attributes that are named, each with the values in A and B."""
    return [(each.attribute, each.a, each.b) for each in found.difference]
