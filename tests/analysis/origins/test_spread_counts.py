"""What was made from an origin, and the first of it."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.origins.spread_counts import count_spread
from tensordbg.model import NONE


def chain(length: int) -> BadGraph:
    """Events 0, 1, 2..., each made from the one before, two to a port; the last node has no event."""
    event = np.append(np.arange(length - 1), NONE)
    nodes = np.arange(length)
    return BadGraph(event, np.zeros(length, dtype=np.int64), nodes // 2, nodes, nodes[1:], nodes[:-1])


def test_counts_events_and_names_one_per_operation() -> None:
    (found,) = count_spread(chain(12), [(0,)], np.full(12, NONE))
    assert found.events == 10
    assert found.first == (1, 2, 4, 6, 8, 10)


def test_more_origins_than_a_mark_has_bits() -> None:
    found = count_spread(chain(201), [(node,) for node in range(150)], np.full(201, NONE))
    assert [descent.events for descent in found] == [199 - node for node in range(150)]


def test_kin_counts() -> None:
    (found,) = count_spread(chain(12), [(5, 9)], np.full(12, NONE))
    assert found.events == 5


def test_where_the_first_of_them_was_read() -> None:
    read_at = np.full(12, NONE)
    read_at[[2, 6, 9]] = 5, 7, 8
    assert [each.read_at for each in count_spread(chain(12), [(0,), (3,), (9,), (10,)], read_at)] == [5, 7, 8, NONE]
