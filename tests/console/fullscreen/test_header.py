from __future__ import annotations

import pytest

from tensordbg.console.fullscreen.header import shortened
from tensordbg.console.fullscreen.layout import ANSWER, SOURCE, TENSORS, pane_of


@pytest.mark.parametrize(
    ("text", "width", "shown"), [("log", 5, "log  "), ("logarithm", 5, "loga…"), ("日本語", 4, "日 …"), ("", 0, "")]
)
def test_shortened_is_exactly_so_wide(text: str, width: int, shown: str) -> None:
    assert shortened(text, width) == shown


@pytest.mark.parametrize(
    ("command", "pane"),
    [
        ("lt -f nan", TENSORS),
        ("list_tensors", TENSORS),
        ("ps a.py", SOURCE),
        ("ls", SOURCE),
        ("pt x", ANSWER),
        ("", ANSWER),
    ],
)
def test_the_pane_of_a_command(command: str, pane: str) -> None:
    assert pane_of(command) == pane
