"""The small tables of a trace as Arrow tables, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from tensordbg.model import CallKind, Frame, Function, Site, SourceFile, TensorRef, Variable
from tensordbg.trace.program.catalog import Catalog, KnownFunctions, KnownSites
from tensordbg.trace.schema import EVENT_TABLES, TABLES

CATALOG_TABLES = tuple(name for name in TABLES if name not in EVENT_TABLES)
"""Names of the tables that describe the program."""

Rows = list[dict[str, Any]]


def catalog_table(catalog: Catalog, name: str) -> pa.Table:
    """One of `CATALOG_TABLES`."""
    return pa.Table.from_pylist(list(_ROWS[name](catalog)), schema=TABLES[name])


def catalog_from_tables(tables: Mapping[str, pa.Table]) -> Catalog:
    """The reverse: `tables` holds all of `CATALOG_TABLES`.

    Raises:
        LookupError, TypeError, ValueError: If they do not fit together.
    """
    rows: dict[str, Rows] = {name: tables[name].to_pylist() for name in CATALOG_TABLES}
    inputs: dict[int, list[TensorRef]] = {}
    for row in rows["edges"]:
        inputs.setdefault(row["site"], []).append(TensorRef(row["from_site"], row["from_slot"]))
    stacks: dict[int, list[Frame]] = {}
    for row in rows["stacks"]:
        stacks.setdefault(row["stack"], []).append(Frame(row["file"], row["line"], row["function"], row["user"]))
    return Catalog(
        sites=KnownSites({row["site"]: _site(row, tuple(inputs.get(row["site"], ()))) for row in rows["sites"]}),
        functions=KnownFunctions({row["function"]: _function(row) for row in rows["functions"]}),
        stacks={number: tuple(frames) for number, frames in stacks.items()},
        sources={row["file"]: SourceFile(**row) for row in rows["sources"]},
        variables={row["variable"]: Variable(**row) for row in rows["variables"]},
        paths={row["path"]: row["name"] for row in rows["paths"]},
    )


def _site(row: dict[str, Any], inputs: tuple[TensorRef, ...]) -> Site:
    lists = {name: tuple(row[name]) for name in ("dtypes", "called", "reads", "writes")}
    return Site(**{**row, **lists, "call": CallKind(row["call"]), "inputs": inputs})


def _function(row: dict[str, Any]) -> Function:
    sites, slots = row.pop("output_sites"), row.pop("output_slots")
    lists = {name: tuple(row[name]) for name in ("arguments", "captures", "notes")}
    outputs = tuple(TensorRef(site, slot) for site, slot in zip(sites, slots, strict=True))
    return Function(**{**row, **lists, "outputs": outputs})


def _plain(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, as they are."""
    return dict(vars(value))


def _site_rows(catalog: Catalog) -> Iterator[dict[str, Any]]:
    for site in catalog.sites.values():
        row = _plain(site)
        del row["inputs"]
        yield {**row, "call": site.call.value}


def _edge_rows(catalog: Catalog) -> Iterator[dict[str, Any]]:
    for site in catalog.sites.values():
        for position, reference in enumerate(site.inputs):
            yield {
                "site": site.site,
                "input": position,
                "from_site": reference.site,
                "from_slot": reference.slot,
            }


def _function_rows(catalog: Catalog) -> Iterator[dict[str, Any]]:
    for function in catalog.functions.values():
        row = _plain(function)
        outputs = row.pop("outputs")
        yield {
            **row,
            "output_sites": [reference.site for reference in outputs],
            "output_slots": [reference.slot for reference in outputs],
        }


def _stack_rows(catalog: Catalog) -> Iterator[dict[str, Any]]:
    for number, frames in catalog.stacks.items():
        for depth, frame in enumerate(frames):
            yield {"stack": number, "depth": depth, **_plain(frame)}


_ROWS: dict[str, Callable[[Catalog], Iterator[dict[str, Any]]]] = {
    "edges": _edge_rows,
    "functions": _function_rows,
    "paths": lambda catalog: ({"path": number, "name": name} for number, name in catalog.paths.items()),
    "sites": _site_rows,
    "sources": lambda catalog: (_plain(source) for source in catalog.sources.values()),
    "stacks": _stack_rows,
    "variables": lambda catalog: (_plain(variable) for variable in catalog.variables.values()),
}
