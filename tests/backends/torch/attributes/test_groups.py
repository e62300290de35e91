from __future__ import annotations

from typing import Any

from tensordbg.backends.torch.attributes.groups import Groups, attributes_of


def test_a_group_is_told_by_attributes() -> None:
    assert attributes_of("0\n4\n") == {"group_key": "0", "group_size": 4}
    assert attributes_of("0\n4\n1>2") == {"group_key": "0 1>2", "group_size": 2}


def test_only_what_a_group_runs_is_told_of_it() -> None:
    told: list[Any] = []

    def describe(*place: Any) -> int:
        told.append(place)
        return 5

    groups = Groups(describe, lambda: told.append("in a group"))
    assert groups.describe("a", [], {"dim": 1}) == 5
    assert groups.describe("b", [], None) == 5
    assert groups.describe("c", [], {"group": "x\n2\n", "dim": 1}) == 5
    assert told == [
        ("a", [], {"dim": 1}),
        ("b", [], None),
        "in a group",
        ("c", [], {"dim": 1, "group_key": "x", "group_size": 2}),
    ]
