"""Names of processes in sentences."""

from __future__ import annotations

from tensordbg.analysis.processes.names import several


def test_few_are_named_and_of_many_the_first() -> None:
    assert several(["a"]) == "a"
    assert several(["a", "b"]) == "a and b"
    assert several(["a", "b", "c"]) == "a, b and c"
    assert several(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
