from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.model import Frame
from tensordbg.trace.program import rows
from tests.trace.builder import small_program

PROGRAM = small_program()

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
READERS = [
    (rows.site_from_row, rows.site_row(PROGRAM.sites[2])),
    (rows.function_from_row, rows.function_row(PROGRAM.functions[0])),
    (rows.stack_from_row, rows.stack_row(0, PROGRAM.stacks[0])),
    (rows.source_from_row, rows.source_row(PROGRAM.sources[0])),
    (rows.variable_from_row, rows.variable_row(PROGRAM.variables[0])),
    (rows.name_from_row, {"kind": "path", "id": 1, "name": "call"}),
]


def through_json(row: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(row))


@pytest.mark.parametrize("site", PROGRAM.sites, ids=lambda site: site.name)
def test_sites_come_back(site: Any) -> None:
    assert rows.site_from_row(through_json(rows.site_row(site))) == site


def test_the_rest_comes_back() -> None:
    for function in PROGRAM.functions:
        assert rows.function_from_row(through_json(rows.function_row(function))) == function
    for source in PROGRAM.sources:
        assert rows.source_from_row(through_json(rows.source_row(source))) == source
    for variable in PROGRAM.variables:
        assert rows.variable_from_row(through_json(rows.variable_row(variable))) == variable
    frames = (Frame("a.py", 1, "f", True),)
    assert rows.stack_from_row(through_json(rows.stack_row(4, frames))) == (4, frames)


@given(data=st.data(), which=st.sampled_from(range(len(READERS))))
def test_wrong_values_raise_one_of_three(data: st.DataObject, which: int) -> None:
    read, row = READERS[which]
    key = data.draw(st.sampled_from(sorted(row)))
    with contextlib.suppress(ValueError, TypeError, KeyError):
        read({**row, key: data.draw(JSON)})


def test_numbers_stay_within_their_column() -> None:
    with pytest.raises(ValueError, match="is not a number"):
        rows.site_from_row({**rows.site_row(PROGRAM.sites[0]), "site": 2**31})


def test_half_characters_are_replaced() -> None:
    source = rows.source_from_row({"file": "\ud800", "sha256": "", "text": "é"})
    assert source.file == "?"
    assert source.text == "é"
