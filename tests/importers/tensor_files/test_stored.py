from __future__ import annotations

import io

import numpy as np
import pytest

from tensordbg.errors import TraceError
from tensordbg.importers.tensor_files.stored import StoredTensor, event_of, is_shape, read_pieces


def test_a_file_that_ends_within_a_tensor() -> None:
    with pytest.raises(TraceError, match="ends within a tensor"):
        list(read_pieces(io.BytesIO(bytes(7)), np.dtype(np.float32), 2))


def test_what_is_not_to_be_kept_is_measured() -> None:
    tensor = StoredTensor("x", "float32", (3,), lambda: iter([np.array([1, np.nan, 2], np.float32)]))
    event = event_of(tensor, 4)
    assert event.elements is None
    assert event.health is not None
    assert (event.health.nan, event.health.first_bad, event.health.max) == (1, 1, 2.0)


@pytest.mark.parametrize("value", [None, 3, [1.0], [-1], [True], [2**30, 2**30], [1] * 65])
def test_what_is_no_shape(value: object) -> None:
    assert not is_shape(value)


def test_a_shape() -> None:
    assert is_shape([0, 3])
    assert is_shape(())
