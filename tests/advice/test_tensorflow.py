from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import tensorflow as tf

from tensordbg.advice.tensorflow import FIXES


def apis() -> Iterator[str]:
    for fixes in FIXES.values():
        for text in fixes.values():
            yield from re.findall(r"\btf(?:\.[A-Za-z_]\w*)+", re.sub(r"\{dtype\}", "float32", text))


@pytest.mark.parametrize("name", sorted(set(apis())))
def test_what_is_advised_is_there(name: str) -> None:
    found = tf
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert found is not tf
