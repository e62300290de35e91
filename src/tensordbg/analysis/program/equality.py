"""Which operations of a function compute the same: of such, TensorFlow keeps one."""

from __future__ import annotations

import json

from tensordbg.analysis.program.call_tree import CallTree
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NOTES, CallKind, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


def constant_operations(tree: CallTree) -> frozenset[str]:
    """The operations that always compute the same, whatever the function is given."""
    found: dict[str, bool] = {}
    for key, instance in tree.instances.items():
        site = instance.site
        sources = tree.sources[key]
        if operation_of(site).kind is Kind.CONSTANT:
            found[key] = True
        elif site.argument >= 0 or site.call is not CallKind.NONE or site.reads or site.writes:
            found[key] = False
        else:
            # Operations stand behind those that they take; random numbers and the like take a seed's shape only.
            pure = operation_of(site).has(Trait.SHAPE_ONLY) or not operation_of(site).has(Trait.VARIES)
            found[key] = pure and bool(sources) and all(found.get(source, False) for source in sources)
    return frozenset(key for key, constant in found.items() if constant)


def equal_operations(tree: CallTree) -> dict[str, int]:
    """A number for each operation; equal ones compute the same from the same.

    Operations are compared by type, small attributes and inputs. One without inputs is equal to itself alone, but for a
    small constant.
    """
    numbers: dict[tuple[object, ...], int] = {}
    found: dict[str, int] = {}
    for key, instance in tree.instances.items():
        site = instance.site
        inputs = tuple((found.get(name, name), slot) for name, slot in tree.inputs(instance))
        alone = site.argument >= 0 or site.call is not CallKind.NONE or bool(site.writes)
        plain = bool(inputs) or '"value"' in site.attributes
        identity: tuple[object, ...] = (key,)
        if plain and not alone:
            identity = (site.op_type, computing_attributes(site), site.device, inputs)
        found[key] = numbers.setdefault(identity, len(numbers))
    return found


def computing_attributes(site: Site) -> str:
    """The attributes by which an operation computes what it does, in one order and without our notes."""
    told = json.loads(site.attributes)
    return json.dumps({name: value for name, value in told.items() if name not in NOTES}, sort_keys=True)
