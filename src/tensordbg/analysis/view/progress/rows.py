"""The rows in which progress is told: layers in the order of their calls, or the lines of a program without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.names.layer_parts import LayerPart, layer_parts, prefixes
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.model import Frame

_MOST_LINES = 400


@dataclass(frozen=True)
class ProgressRow:
    """One row."""

    name: str
    """Path of the layer, `file.py:12`, or name of the variable."""
    kind: str
    """Class of the layer, text of the line, or `variable`."""
    depth: int
    """How many layers stand around it."""
    ports: tuple[int, ...] = field(default=(), repr=False)
    """What it puts out."""
    sites: tuple[int, ...] = field(default=(), repr=False)
    """Its operations, without those of layers in it."""
    variables: tuple[int, ...] = ()
    """Those that it trains."""


def find_rows(study: Study) -> tuple[tuple[ProgressRow, ...], tuple[ProgressRow, ...]]:
    """The rows of what is computed forward, and those of what is trained."""
    parts = layer_parts(study.program)
    read_by = _layers_of_variables(study, parts)
    rows = tuple(_layer_rows(study, parts, read_by)) or tuple(_line_rows(study))
    loose = [
        ProgressRow(variable.name, "variable", 0, variables=(number,))
        for number, variable in sorted(study.program.variables.items())
        if study.is_trained(number) and number not in read_by
    ]
    return rows, (*(row for row in rows if row.variables), *loose)


def _layers_of_variables(study: Study, parts: Mapping[str, LayerPart]) -> Mapping[int, str]:
    """The layer whose own operations take each trained variable, the first one where several do."""
    found: dict[int, str] = {}
    for path, part in parts.items():
        for site in part.inner:
            first, count = int(study.ports.first[site]), int(study.ports.count[site])
            near = [*range(first, first + count), *study.wiring.parents(first)]
            for port in near:
                variable = study.variable_of.get(port)
                if variable is not None and study.is_trained(variable):
                    found.setdefault(variable, path)
    return found


def _layer_rows(study: Study, parts: Mapping[str, LayerPart], read_by: Mapping[int, str]) -> Iterable[ProgressRow]:
    variables: dict[str, list[int]] = {}
    for variable, path in read_by.items():
        variables.setdefault(path, []).append(variable)
    first: dict[str, int] = {}
    for path in sorted(parts, key=lambda each: each.count("/")):
        part = parts[path]
        sites = [ref.site for ref in part.outputs] or list(part.inner)
        for prefix in prefixes(path) if sites else ():
            first.setdefault(prefix, min(sites))
    for path in sorted(
        (path for path in parts if path in first), key=lambda path: [(first[each], each) for each in prefixes(path)]
    ):
        part = parts[path]
        ports = [study.ports.of(ref) for ref in part.outputs]
        yield ProgressRow(
            name=path,
            kind=part.class_name,
            depth=path.count("/"),
            ports=tuple(port for port in ports if port >= 0),
            sites=tuple(part.inner) or tuple({ref.site for ref in part.outputs}),
            variables=tuple(sorted(variables.get(path, ()))),
        )


def _line_rows(study: Study) -> Iterable[ProgressRow]:
    """The lines of the program that compute anything forward, in its order; each puts out what it made last."""
    forward = study.forward | study.learning
    sites: dict[tuple[str, int], list[int]] = {}
    for site in sorted(study.program.sites.values(), key=lambda each: each.site):
        frame = _own_frame(study.program.stacks.get(site.stack, ()))
        if frame is not None and site.dtypes:
            sites.setdefault((frame.file, frame.line), []).append(site.site)
    chosen = [line for line, made in sites.items() if forward[study.ports.first[made]].any()]
    for file, line in chosen[:_MOST_LINES]:
        made = sites[file, line]
        told = [site for site in made if forward[study.ports.first[site]] and int(study.ports.first[site]) in study.at]
        text = study.program.sources.get(file, "").split("\n")
        yield ProgressRow(
            name=f"{file.replace(chr(92), '/').rpartition('/')[2]}:{line}",
            kind=text[line - 1].strip() if 0 < line <= len(text) else "",
            depth=0,
            ports=tuple(int(study.ports.first[site]) for site in told[-1:]),
            sites=tuple(made),
        )


def _own_frame(stack: tuple[Frame, ...]) -> Frame | None:
    return next((frame for frame in reversed(stack) if frame.user), None)


def row_of(rows: tuple[ProgressRow, ...], size: int) -> np.ndarray:
    """For each site the row that it belongs to, -1 where there is none."""
    result = np.full(size, -1, dtype=np.int64)
    for number, row in enumerate(rows):
        result[[site for site in row.sites if site < size]] = number
    return result
