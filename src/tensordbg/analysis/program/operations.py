"""Looks up the operations of a trace in the vocabulary, by the framework of their sites."""

from __future__ import annotations

from tensordbg.model import Site
from tensordbg.operations import lookup
from tensordbg.operations.frameworks import framework_of_type
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

INPUT = lookup.INPUT


def operation_of(site: Site) -> Operation:
    """Looks up the operation at a site."""
    return lookup.operation(site.framework or framework_of_type(site.op_type), site.op_type)


def named(op_type: str) -> Operation:
    """Looks up an operation by its type; the framework is told by the form of the type."""
    return lookup.operation(framework_of_type(op_type), op_type)


def type_of(kind: Kind, framework: str) -> str:
    """The type of a framework's operations of a kind, the first of several; empty where it has none."""
    table = lookup.TABLES.get(framework)
    return "" if table is None else next(iter(table.kinds.get(kind, ())), "")


def collective_kinds() -> list[str]:
    """Names of the things that operations do which several processes run together, in a fixed order."""
    return sorted({each.kind for table in lookup.TABLES.values() for each in table.collectives.values()})


def reads_variables(site: Site) -> bool:
    """Whether an operation puts out what a variable holds, known or not."""
    return bool(site.reads) or operation_of(site).has(Trait.READS)


def writes_variables(site: Site) -> bool:
    """Whether an operation changes variables, known or not."""
    return bool(site.writes) or operation_of(site).has(Trait.WRITES)
