"""Lookup tables that functions take: which operations use each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tensordbg.backends.tensorflow.functions.passed_handles import handles_by_function

EXPORT = "LookupTableExportV2"
"""The operation that reads a whole table, with outputs `keys` and `values`."""

_TYPES = {
    "LookupTableFindV2": ("Tin", "Tout"),
    "LookupTableInsertV2": ("Tin", "Tout"),
    "LookupTableImportV2": ("Tin", "Tout"),
    EXPORT: ("Tkeys", "Tvalues"),
}
"""The attributes that hold the types of the keys and of the values, by the operation."""

_CHANGING = frozenset({"LookupTableInsertV2", "LookupTableImportV2", "LookupTableRemoveV2"})


def types_in(node: Any) -> tuple[int, int] | None:
    """The types of the keys and the values of the table that an operation takes, if it tells them."""
    names = _TYPES.get(node.op)
    return None if names is None else (node.attr[names[0]].type, node.attr[names[1]].type)


def changes_table(op_type: str) -> bool:
    """Whether an operation of this type changes the table that it is given."""
    return op_type in _CHANGING


def types_of_tables(library: Any, arguments: Iterable[int]) -> Mapping[int, tuple[int, int]]:
    """The types of the keys and the values of each table, by the argument, where some operation tells them.

    Args:
        library: The functions, as a FunctionDefLibrary, the outermost first.
        arguments: Which of its arguments are handles of tables.
    """
    told = ((argument, types_in(node)) for argument, node in _uses(library, arguments))
    return {argument: types for argument, types in told if types is not None}


def changed_tables(library: Any, arguments: Iterable[int]) -> set[int]:
    """The arguments that are handles of tables which the functions change."""
    return {argument for argument, node in _uses(library, arguments) if changes_table(node.op)}


def _uses(library: Any, arguments: Iterable[int]) -> Iterator[tuple[int, Any]]:
    """Each operation that takes one of the tables."""
    passed = handles_by_function(library, {number: number for number in arguments})
    for definition in library.function:
        names = definition.signature.input_arg
        taken = {names[number].name: each for number, each in passed.get(definition.signature.name, {}).items()}
        for node in definition.node_def:
            yield from ((taken[name], node) for name in node.input if name in taken)
