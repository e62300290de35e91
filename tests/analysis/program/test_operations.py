"""What the analysis is told of a site: by what the recorder knew of it, and by its type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.program.operations import INPUT, named, operation_of, reads_variables, writes_variables
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

PLAIN = Site(0, "a", "AddV2", NONE, NONE, (), ("float32",))


def test_a_site_is_what_its_type_is() -> None:
    assert operation_of(PLAIN) is named("AddV2")
    assert operation_of(PLAIN).kind is Kind.ADD
    assert named(INPUT).has(Trait.FROM_OUTSIDE)


@pytest.mark.parametrize("op_type", ["ReadVariableOp", "ResourceGather"])
def test_a_read_is_known_by_its_type_or_by_the_recorder(op_type: str) -> None:
    assert reads_variables(replace(PLAIN, op_type=op_type))
    assert reads_variables(replace(PLAIN, reads=(3,)))
    assert not reads_variables(PLAIN)


@pytest.mark.parametrize("op_type", ["AssignVariableOp", "ResourceApplyAdam"])
def test_a_write_is_known_by_its_type_or_by_the_recorder(op_type: str) -> None:
    assert writes_variables(replace(PLAIN, op_type=op_type))
    assert writes_variables(replace(PLAIN, writes=(3,)))
    assert not writes_variables(PLAIN)
