from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.controls import escaped, escaped_json


@pytest.mark.parametrize(
    "control", ["\x1b", "\x07", "\x08", "\x9b", "\x7f", "\u202e", "\u2066", "\ud800", "\r", "\x0c"]
)
def test_controls_are_shown(control: str) -> None:
    shown = escaped(f"a{control}b")
    assert shown.isprintable()
    assert shown == f"a{control.encode('unicode_escape').decode()}b"


def test_the_rest_stays() -> None:
    text = "häßlich 数\tλ\r\nLog:0 \\x1b"
    assert escaped(text) == text


@given(st.text(st.characters()))
def test_what_is_shown_can_be_encoded_and_steers_nothing(text: str) -> None:
    shown = escaped(text).encode()
    assert not {*range(9), *range(14, 32), 127} & set(shown)


@given(st.text(st.characters()))
def test_json_means_the_same(text: str) -> None:
    written = escaped_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(written) == [text]
    assert written.encode().decode().isprintable() or "\u2028" in written or not text.isprintable()
