"""Runs that are told apart by their order in a group; two real processes are in e2e/test_torch_processes.py."""

from __future__ import annotations

import json

from tensordbg.analysis.processes.counted_runs import is_counted
from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import TORCH


def site(op_type: str, function: int = NONE, **attributes: object) -> Site:
    return Site(0, op_type, op_type, function, NONE, framework=TORCH, attributes=json.dumps(attributes))


def test_runs_of_a_named_group_are_counted() -> None:
    assert is_counted(site("c10d::allreduce_", group_key="0", group_size=2))


def test_runs_that_have_a_number_or_no_group_are_not() -> None:
    assert not is_counted(site("c10d::allreduce_"))
    assert not is_counted(site("c10d::allreduce_", group_key="0", instance_key=3))
    assert not is_counted(site("c10d::allreduce_", function=2, group_key="0"))
    assert not is_counted(site("aten::add", group_key="0"))
