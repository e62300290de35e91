"""Notes of ragged and sparse tensors are read as they were written; what is none tells nothing."""

from __future__ import annotations

import json

import pytest

from tensordbg.analysis.program.composite_notes import all_wholes, noted_composites, wholes
from tensordbg.model import NONE, Site, TensorRef


def note(*values: object) -> str:
    return json.dumps({"composites": values})


def test_slot_kind_and_parts() -> None:
    told = noted_composites(note(None, {"ragged": [["rows", 1]]}, {"sparse": [["s", 0], ["s_2", 0]]}))
    assert told == [(1, "ragged", [("rows", 1)]), (2, "sparse", [("s", 0), ("s_2", 0)])]


@pytest.mark.parametrize(
    "attributes",
    [
        "{}",
        json.dumps({"composites": 3}),
        note(7),
        note({"other": [["a", 0]]}),
        note({"ragged": []}),
        note({"sparse": [["a", 0]]}),
        note({"ragged": [["a"]]}),
        note({"ragged": [[0, "a"]]}),
    ],
)
def test_what_is_no_note_tells_nothing(attributes: str) -> None:
    assert noted_composites(attributes) == []


def test_a_part_of_several_leads_to_each_and_to_the_last() -> None:
    shared = note({"sparse": [["s", 0], ["gone", 0]]})
    sites = [Site(0, "s", "Placeholder", 0, NONE)]
    sites += [Site(number, name, "Mul", 0, NONE, attributes=shared) for number, name in ((1, "s_1"), (2, "mul"))]
    assert all_wholes(sites) == {TensorRef(0, 0): [TensorRef(1, 0), TensorRef(2, 0)]}
    assert wholes(sites) == {TensorRef(0, 0): TensorRef(2, 0)}


def test_parts_lead_to_the_elements_of_their_own_graph() -> None:
    sites = [
        Site(0, "s", "Placeholder", 0, NONE),
        Site(1, "s_1", "Placeholder", 0, NONE, attributes=note({"sparse": [["s", 0], ["gone", 0]]})),
        Site(2, "s", "Placeholder", 1, NONE),
    ]
    assert wholes(sites) == {TensorRef(0, 0): TensorRef(1, 0)}
