"""Whole numbers that go round without an error: `200 + 100` of `uint8` is 44.

What was given is compared with what came out, by the smallest and largest numbers and the sums, so nothing is said that
the data do not show. Some programs want it: hashes, generators of random numbers, tricks with bits. So only operations
that stand in the program's own text count, and none that works on words of a hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import numpy as np

from tensordbg.advice.lookup import fix
from tensordbg.analysis.columns.reading import Ints, integers, tensor_pieces
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.analysis.failures.beginnings.words import of_wrap
from tensordbg.analysis.failures.beginnings.wraps import JUDGED, is_whole, wrapped
from tensordbg.analysis.origins.allowed import allowing_rule
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import row_of
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_MOST_SITES = 200
_OF_SITE = 8
"""So many events of each operation are judged: the extremes, and others spread evenly."""

_WRAPPERS = frozenset(
    {
        "dispatch.py",
        "func_graph.py",
        "math_ops.py",
        "op_def_library.py",
        "ops.py",
        "override_binary_operator.py",
        "tensor_math_operator_overrides.py",
        "traceback_utils.py",
        "weak_tensor_ops.py",
    }
)
"""The files of TensorFlow between an operator in the program's text and its operation."""
_OTHERWISE = frozenset({"saturate_cast"})

_WIDE = ("int32", "int64")
_HASHED = frozenset({"uint32", "uint64"})
"""They are what hashes and generators compute in."""
_NEAR = 4
"""So many operations on, or back, a word of a hash is known as one."""
_LEAST_FACTOR = 31
"""Odd constants from this on are what hashes multiply by."""


def wrapped_integers(study: Study) -> list[Finding]:
    """One finding for each line whose operation gave whole numbers that went round."""
    sites = [site for site in study.program.sites.values() if _is_candidate(study.program, site)][:_MOST_SITES]
    events = _chosen(study, [site.site for site in sites]) if sites else np.empty(0, dtype=np.int64)
    if not len(events):
        return []
    executions = study.executions
    numbers = integers(study.trace.take(events, ["execution"]), "execution", NONE)
    rows = [int(row) for row in np.unique(row_of(executions.number, numbers[numbers != NONE])) if row != NONE]
    found: dict[int, Finding] = {}
    pasts = [RecordedPast(study.trace, study.program, executions, *rows)] if rows else []
    pasts += [RecordedPast(study.trace, study.program, executions, NONE)] if (numbers == NONE).any() else []
    for past in pasts:
        for made, inputs, site in _judged(past, events):
            if site.stack not in found and wrapped(made, inputs) and not _is_wanted(study, site, made, inputs, past):
                found[site.stack] = _finding(site, made, inputs)
    return list(found.values())


def _is_candidate(program: Program, site: Site) -> bool:
    """Whether an operation computes whole numbers, stands in the program's own text and is not declared allowed."""
    if operation_of(site).kind not in JUDGED or (site.dtypes and not is_whole(site.dtypes[0])):
        return False
    frames = program.stacks.get(site.stack, ())
    own = next((k for k in reversed(range(len(frames))) if frames[k].user), NONE)
    if own == NONE or allowing_rule(program, site, False) is not None:
        return False
    return all(_is_wrapper(frame.file) and frame.function not in _OTHERWISE for frame in frames[own + 1 :])


def _is_wrapper(file: str) -> bool:
    name = PurePath(file).name
    return name in _WRAPPERS or name.startswith("gen_")


def _chosen(study: Study, sites: list[int]) -> Ints:
    """The events of some sites that are judged: of each the extremes, and others spread evenly."""
    parts: list[Ints] = []
    columns: list[list[Any]] = []
    for rows, table in tensor_pieces(study.trace, ["site", "min", "max"]):
        site = integers(table, "site", NONE)
        here = np.flatnonzero(np.isin(site, sites))
        numbers = (np.asarray(table.column(name).fill_null(0).to_numpy())[here] for name in ("min", "max"))
        columns.append([site[here], *numbers])
        parts.append(rows.start + here)
    event = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    if not len(event):
        return event
    site, low, high = (np.concatenate(each) for each in zip(*columns, strict=True))
    found = []
    for number in np.unique(site):
        own = np.flatnonzero(site == number)
        spread = own[np.linspace(0, len(own) - 1, min(len(own), _OF_SITE)).astype(int)]
        found += [*spread, own[low[own].argmin()], own[high[own].argmax()]]
    result: Ints = np.unique(event[found])
    return result


def _judged(past: RecordedPast, events: Ints) -> Iterator[tuple[Made, list[Made | None], Site]]:
    for event in events.tolist():
        made = past.at(event)
        if made is not None:
            site = past.values.program.sites[past.site_of(made)]
            yield made, list(past.inputs(made)), site


def _is_wanted(study: Study, site: Site, made: Made, inputs: list[Made | None], past: RecordedPast) -> bool:
    """Whether it is likely that the program wants the numbers to go round, or that something before it did already."""
    if made.dtype in _HASHED:
        return True
    if any(each is not None and each.dtype in _HASHED for each in inputs):
        return True
    if any(each is not None and wrapped(each, past.inputs(each)) for each in inputs):
        return True
    edges = _edges(study)
    if any(_is_of_words(study, each) for each in _near(site.site, edges)):
        return True
    if made.dtype not in _WIDE:
        return False
    before = _near(site.site, edges[:, ::-1])
    return any(_is_of_words(study, each, Trait.SCRAMBLES) for each in before) or (
        made.operation.kind is Kind.MULTIPLY and any(_is_factor_of_hash(each) for each in inputs)
    )


def _edges(study: Study) -> Ints:
    """Pairs of sites of which the second takes what the first gives, whatever it is: `Wiring` has no whole numbers."""
    executions, graph = study.executions, study.program.edges
    consumer = np.repeat(np.arange(len(executions)), np.diff(executions.input_starts))
    known = executions.input_row != NONE
    eager = np.stack([executions.site[executions.input_row[known]], executions.site[consumer[known]]], axis=1)
    result: Ints = np.unique(np.concatenate([graph[:, [2, 0]], eager]), axis=0)
    return result


def _near(site: int, edges: Ints) -> set[int]:
    """The sites that a few edges lead to."""
    found = np.array([site])
    for _ in range(_NEAR):
        found = np.union1d(found, edges[np.isin(edges[:, 0], found), 1])
    return set(found.tolist()) - {site}


def _is_of_words(study: Study, number: int, *also: Trait) -> bool:
    """Whether a site works on words of a hash, or has one of further traits."""
    site = study.program.sites.get(number)
    if site is None:
        return False
    return operation_of(site).kind is Kind.REMAINDER or operation_of(site).has(Trait.ON_BITS, *also)


def _is_factor_of_hash(made: Made | None) -> bool:
    if made is None or made.low is None or made.low != made.high or made.size != 1:
        return False
    return abs(made.low) >= _LEAST_FACTOR and made.low % 2 == 1


def _finding(site: Site, made: Made, inputs: list[Made | None]) -> Finding:
    known = tuple(each for each in inputs if each is not None)
    cast = made.operation.kind is Kind.CAST
    went_round = of_wrap(Emergence(made, known))
    return Finding(
        kind="wrapped_integers",
        series=NONE,
        event=made.event,
        explanation=f"{went_round}: {made.dtype} does not hold the result, and no error is raised.",
        suggestion=fix(site.framework, "wrapped_integers", "cast" if cast else ""),
        evidence={"dtype": made.dtype, "smallest": made.low or 0.0, "largest": made.high or 0.0},
        gravity=1.0,
        site=site.site,
    )
