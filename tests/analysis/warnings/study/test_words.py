from __future__ import annotations

from tensordbg.analysis.warnings.study.words import from_to, listed, share, times


def test_numbers_in_sentences() -> None:
    assert share(0.98412) == "98.4 %"
    assert from_to(0.1, 25000.0) == "from 0.1 to 2.5e4"
    assert times(2500.0) == "2500 times"


def test_each_name_once_and_not_too_many() -> None:
    assert listed(["a", "b", "a"]) == ("a", "b")
    assert len(listed([str(k) for k in range(20)])) == 8
