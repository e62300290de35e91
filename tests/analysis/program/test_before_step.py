from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tensordbg.analysis.program.before_step import came_before
from tensordbg.model import BEFORE_STEP, NONE, Site

SITE = Site(0, "x", "Input", NONE, NONE)


@pytest.mark.parametrize(
    ("attributes", "came"),
    [({}, ""), ({BEFORE_STEP: "loader"}, "loader"), ({BEFORE_STEP: 3}, ""), ({"other": BEFORE_STEP}, "")],
)
def test_how_a_value_came_is_told_by_its_site(attributes: dict[str, object], came: str) -> None:
    assert came_before(replace(SITE, attributes=json.dumps(attributes))) == came
