"""Regions of values that the other run has not: where they begin, and which of them last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.regions import Marks, find_regions


def flow(count: int, *pairs: tuple[int, int]) -> Edges:
    """Values that are made of others: each pair is a value and what it goes into."""
    parent, child = (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True))
    return Edges(child, parent, count)


def marked(count: int, *rows: int) -> Bools:
    result = np.zeros(count, dtype=np.bool_)
    result[list(rows)] = True
    return result


def nothing(count: int) -> Marks:
    none = marked(count)
    return Marks(none, none, none, none, none, none, np.arange(count))


def test_what_leads_back_to_equal_values_does_not_last() -> None:
    edges = flow(4, (0, 1), (1, 2), (0, 3))
    assert find_regions(edges, marked(4, 0, 2), nothing(4)).lasting == {3}


def test_a_single_number_alone_makes_no_fork() -> None:
    edges = flow(5, (0, 2), (1, 2), (2, 4), (3, 4))  # a rate and chance, and what they go into beside an input
    marks = replace(nothing(5), alone=marked(5, 0))
    assert find_regions(edges, marked(5, 0, 3), marks).forks == (4,)
    assert find_regions(edges, marked(5, 0, 3), nothing(5)).forks == (2,)


def test_an_unlike_loss_is_a_result_though_the_parameters_come_out_equal() -> None:
    edges = flow(4, (0, 1), (1, 2), (2, 3))
    marks = replace(nothing(4), results=marked(4, 2))
    assert find_regions(edges, marked(4, 0, 3), nothing(4)).lasting == set()
    assert find_regions(edges, marked(4, 0, 3), marks).lasting == {1, 2}


def test_gradients_of_the_last_step_are_results_unless_they_came_back_to_equal_values_before() -> None:
    edges = flow(7, (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (3, 6))  # two steps: 1 and 4 are gradients, 2 and 5 updates
    marks = replace(nothing(7), no_result=marked(7, 5), settled=marked(7, 2, 5), site=np.array([0, 1, 2, 3, 1, 2, 6]))
    assert find_regions(edges, marked(7, 0, 3, 6), marks).lasting == set()
    assert find_regions(edges, marked(7, 0, 6), marks).lasting == {1, 2, 3, 4}
