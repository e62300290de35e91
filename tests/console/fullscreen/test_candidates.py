from __future__ import annotations

import pytest

from tensordbg.console.fullscreen.candidates import common_begin, in_columns


@pytest.mark.parametrize(
    ("words", "begin"),
    [(("pt",), "pt"), (("list_tensors", "list_inputs"), "list_"), (("a", "b"), ""), (("Log", "Log:0"), "Log")],
)
def test_common_begin(words: tuple[str, ...], begin: str) -> None:
    assert common_begin(words) == begin


def test_columns_leave_out_the_folder_that_all_share() -> None:
    words = ["model/dense/MatMul:0", "model/dense/Relu:0", "model/log/Log:0"]
    assert in_columns(words, 40, 6) == ["dense/MatMul:0  dense/Relu:0", "log/Log:0"]


def test_the_last_row_says_how_many_are_left_out() -> None:
    rows = in_columns([f"Log_{number:03d}" for number in range(100)], 18, 3)
    assert rows == ["Log_000  Log_001", "Log_002  Log_003", "… and 96 more: type some more letters"]


def test_no_words_take_no_row() -> None:
    assert in_columns([], 80, 6) == []
