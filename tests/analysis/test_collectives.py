"""Operations that several processes run together."""

from __future__ import annotations

import zlib

import pytest

from tensordbg.analysis.collectives import COLLECTIVES, attribute_number
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


def test_the_number_of_parties_stands_before_the_group() -> None:
    assert COLLECTIVES["CollectiveReduceV2"].size_input == 1
    assert COLLECTIVES["CollectiveBcastRecvV2"].size_input == 0
    assert COLLECTIVES["CollectiveReduce"].size_input == NONE


def test_who_sends_and_who_receives_do_one_thing() -> None:
    assert COLLECTIVES["CollectiveBcastSendV2"].kind == COLLECTIVES["CollectiveBcastRecvV2"].kind
