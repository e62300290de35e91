"""What is known of the operations of a trace: the one place where the analysis looks into the vocabulary."""

from __future__ import annotations

from tensordbg.model import Site
from tensordbg.operations import lookup
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

FRAMEWORK = "tensorflow"
"""The framework of every site, as long as a trace does not say it of each."""

INPUT = lookup.INPUT


def operation_of(site: Site) -> Operation:
    """What is known of the operation at a site."""
    return lookup.operation(FRAMEWORK, site.op_type)


def named(op_type: str) -> Operation:
    """What is known of the operations of a type."""
    return lookup.operation(FRAMEWORK, op_type)


def type_of(kind: Kind) -> str:
    """What the framework calls an operation of a kind, the first of several names."""
    return lookup.TABLES[FRAMEWORK].kinds[kind][0]


def collective_kinds() -> list[str]:
    """What operations that several processes run together do, in words, in a fixed order."""
    return sorted({each.kind for each in lookup.TABLES[FRAMEWORK].collectives.values()})


def reads_variables(site: Site) -> bool:
    """Whether an operation puts out what a variable holds, known or not."""
    return bool(site.reads) or operation_of(site).has(Trait.READS)


def writes_variables(site: Site) -> bool:
    """Whether an operation changes variables, known or not."""
    return bool(site.writes) or operation_of(site).has(Trait.WRITES)
