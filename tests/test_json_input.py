from __future__ import annotations

import json

import pytest

from tensordbg.json_input import load_json, parsed, whole_text


def test_halves_of_pairs_become_question_marks() -> None:
    text = rb'{"a\ud800": ["\uDC00", {"b": "x\ud83d\ude00"}], "c": 1}'
    assert load_json(text) == {"a?": ["?", {"b": "x\U0001f600"}], "c": 1}
    assert whole_text("a\ud800") == "a?"
    assert whole_text("ä") == "ä"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", "{}".encode("utf-16")])
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  json and the decoder have words of their own
        load_json(data)


@pytest.mark.parametrize("depth", [201, 980, 100_000])
@pytest.mark.parametrize(("before", "behind"), [("[", "]"), ('{"a":', "}"), ('{"]}": [', "]}"), ("[", "")])
def test_what_lies_too_deep_is_refused_before_it_is_decoded(depth: int, before: str, behind: str) -> None:
    with pytest.raises(ValueError, match="lie in one another more than 200 deep"):
        parsed(before * depth + "1" + behind * depth)


def test_brackets_side_by_side_and_in_texts_are_not_deep() -> None:
    text = json.dumps({"text": "[{" * 5000 + '\\"[' * 300, "inputs": [[number, 0] for number in range(5000)]})
    assert parsed(text) == json.loads(text)
    assert parsed("[" * 200 + "]" * 200) is not None


def test_a_text_that_does_not_end_takes_no_time() -> None:
    with pytest.raises(ValueError, match="Unterminated string"):
        parsed("[" * 50 + "[], " * 200 + '"' + '\\"' * 1_000_000)
