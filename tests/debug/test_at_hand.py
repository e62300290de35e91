"""Values are told in few words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.debug.at_hand import at_hand


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (np.float32(2.5), "float32[]", "2.5"),
        (3, "int64[]", "3"),
        (np.array([[1, 2]]), "int64[1, 2]", "[[1, 2]]"),
        (np.arange(20.0), "float64[20]", "min 0  mean 9.5  max 19"),
        (np.array([np.nan] * 9 + [np.inf, 1.0]), "float64[11]", "min 1  mean 1  max 1  9 nan  1 inf"),
        (np.array(["a"] * 9), "str32[9]", ""),
    ],
)
def test_a_value_in_words(value: Any, kind: str, words: str) -> None:
    found = at_hand("x", value)
    assert (found.name, found.kind, found.words) == ("x", kind, words)
