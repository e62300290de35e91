"""Masks are known by what they are made of: truth values and constants, and nothing that was computed."""

from __future__ import annotations

import pytest

from tensordbg.backends.tensorflow.check.truths import is_made_of_truths
from tensordbg.model import NONE, Site, TensorRef
from tensordbg.recording.catalog import Catalog


class Graph:
    """The sites of a graph that a test draws."""

    def __init__(self) -> None:
        self.catalog = Catalog()

    def made(self, op_type: str, dtype: str, *inputs: TensorRef) -> TensorRef:
        number = self.catalog.new_sites(1)
        self.catalog.add_sites([Site(number, op_type, op_type, 0, NONE, inputs, (dtype,))])
        return TensorRef(number, 0)

    def is_mask(self, reference: TensorRef) -> bool:
        return is_made_of_truths(self.catalog, reference)


@pytest.fixture
def graph() -> Graph:
    return Graph()


def test_a_mask_that_is_turned_round_and_spread(graph: Graph) -> None:
    kept = graph.made("Cast", "float32", graph.made("Less", "bool", graph.made("Range", "int32")))
    rest = graph.made("Sub", "float32", graph.made("Const", "float32"), kept)
    shape = graph.made("Shape", "int32", graph.made("Softmax", "float32"))
    assert graph.is_mask(graph.made("BroadcastTo", "float32", rest, shape))


def test_numbers_from_outside_and_computed_ones_are_none(graph: Graph) -> None:
    assert not graph.is_mask(graph.made("Placeholder", "float32"))
    assert not graph.is_mask(graph.made("Cast", "float32", graph.made("Placeholder", "int32")))
    assert not graph.is_mask(graph.made("Const", "float32"))
    assert not graph.is_mask(TensorRef(NONE, 0))
    kept = graph.made("Cast", "float32", graph.made("Less", "bool"))
    assert not graph.is_mask(graph.made("Mul", "float32", kept, graph.made("Softmax", "float32")))
