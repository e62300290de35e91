"""Operations that several processes run together."""

from __future__ import annotations

import zlib

import pytest

from tensordbg.analysis.processes.collectives import attribute_number
from tensordbg.model import NONE, Site


@pytest.mark.parametrize(
    ("attributes", "number"),
    [
        ('{"instance_key": 7}', 7),
        ("{}", NONE),
        ('{"instance_key": [7]}', NONE),
        ('{"instance_key": "c0"}', zlib.crc32(b"c0")),
    ],
)
def test_numbers_among_attributes(attributes: str, number: int) -> None:
    assert attribute_number(Site(0, "x", "CollectiveReduce", 0, 0, attributes=attributes), "instance_key") == number
