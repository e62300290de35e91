from __future__ import annotations

from tensordbg.cli.messages import did_you_mean, one_line


def test_one_line_has_no_line_breaks() -> None:
    assert one_line("a\n  b\tc\n") == "a b c"


def test_near_word_is_suggested() -> None:
    assert did_you_mean("expor", ["run", "export"]) == "; did you mean 'export'?"


def test_far_word_is_not_suggested() -> None:
    assert did_you_mean("qqq", ["run", "export"]) == ";"
