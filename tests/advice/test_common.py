from __future__ import annotations

import re

from tensordbg.advice.common import FIXES


def test_nothing_of_one_framework_stands_in_what_holds_for_all() -> None:
    texts = [text for fixes in FIXES.values() for text in fixes.values()]
    assert [text for text in texts if re.search(r"\b(tf|torch|keras|nn)\.|TensorFlow|PyTorch|Keras", text)] == []
