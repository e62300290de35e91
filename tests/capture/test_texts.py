from __future__ import annotations

import numpy as np
import pytest

from tensordbg.capture.texts import are_texts, packed_texts, unpacked_texts
from tensordbg.errors import CaptureError

PACKED = packed_texts(np.array([b"ab", b""], dtype=object))


def test_lengths_come_first() -> None:
    assert PACKED.tobytes() == b"\2" + b"\0" * 15 + b"ab"
    assert unpacked_texts(PACKED, (2, 1)).tolist() == [[b"ab"], [b""]]


def test_only_bytes_are_texts() -> None:
    assert are_texts(np.array([b"a"], dtype=object)) and are_texts(np.empty(0, dtype=object))
    assert not are_texts(np.array(["a"], dtype=object)) and not are_texts(np.array([b"a"]))


@pytest.mark.parametrize(
    ("packed", "shape"),
    [
        (PACKED, (3,)),
        (PACKED, ()),
        (PACKED, (-2, -1)),
        (PACKED, (2**40, 2**20)),
        (PACKED[:-1], (2,)),
        (PACKED.view(np.int8), (2,)),
        (np.full(16, 255, np.uint8), (2,)),
    ],
)
def test_what_can_not_be_strings_is_refused(packed: np.ndarray, shape: tuple[int, ...]) -> None:
    with pytest.raises(CaptureError, match=r"can't be .* strings; take another capture"):
        unpacked_texts(packed, shape)
