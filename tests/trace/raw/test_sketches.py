from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tensordbg.trace.raw.record import TENSOR_RECORD
from tensordbg.trace.raw.sketches import SKETCH_MARK, SKETCH_RANK, holds_sketch, sketches_in
from tensordbg.trace.raw.small_elements import SMALL_MARK, SMALL_RANK

HEADER = (Path(__file__).parents[3] / "native" / "record.h").read_text()


def test_the_numbers_are_those_of_the_header() -> None:
    assert f"kSketchRank = {SKETCH_RANK};" in HEADER
    assert int(re.search(r"kSketchMark = (\w+);", HEADER)[1], 16) == SKETCH_MARK  # type: ignore[index]


def test_reads_those_that_are_there() -> None:
    records = np.zeros(4, TENSOR_RECORD)
    records["rank"] = [2, 2, SKETCH_RANK + 1, 1]
    records["dims"][:, SKETCH_RANK] = [SKETCH_MARK, 0, SKETCH_MARK, SKETCH_MARK]
    records["dims"][3, SMALL_RANK] = SMALL_MARK  # elements that look like a sketch
    sums = np.array([4.0, -1.0, 2.0, 0.5, -3.0])
    records["dims"][0, SKETCH_RANK + 1 :] = sums.view("<u4")
    held = holds_sketch(records)
    assert held.tolist() == [True, False, False, False]
    assert sketches_in(records["dims"][held]).tolist() == [sums.tolist()]
