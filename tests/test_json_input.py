from __future__ import annotations

import pytest

from tensordbg.json_input import load_json, whole_text


def test_halves_of_pairs_become_question_marks() -> None:
    text = rb'{"a\ud800": ["\uDC00", {"b": "x\ud83d\ude00"}], "c": 1}'
    assert load_json(text) == {"a?": ["?", {"b": "x\U0001f600"}], "c": 1}
    assert whole_text("a\ud800") == "a?"
    assert whole_text("ä") == "ä"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", "{}".encode("utf-16")])
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  json and the decoder have words of their own
        load_json(data)
