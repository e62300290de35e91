"""Leaves out the consequences of numbers that are not finite; all that has nothing to do with them counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.finding import Origin
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.model import NONE, TensorRef


def without_aftermath(study: Study, origins: Sequence[Origin]) -> Study:
    """Leaves out the tensors that may have been made from an origin, from the step of the origin on.

    What is not finite itself is in no series. Here go its finite consequences: a mask of it, what an optimizer made of
    a ruined variable. An origin that was one only once and ruined no variable has none in later steps.
    """
    lasting = [each for each in origins if "variable" in each.reaches or each.occurrences > 1]
    if not lasting:
        return study
    dropped = np.zeros(len(study.series.step), dtype=np.bool_)
    for origin, behind in _consequences(study, lasting):
        row = np.repeat(behind[study.port], study.series.lengths)
        dropped |= row & (study.series.event >= origin.view.event)
    return replace(study, series=study.series.without_rows(dropped))


def _consequences(study: Study, origins: Sequence[Origin]) -> Iterator[tuple[Origin, Bools]]:
    """The origins in their order, each with the ports behind it; one that lies behind an earlier one adds nothing."""
    known = np.zeros(len(study.ports.site), dtype=np.bool_)
    for origin in sorted(origins, key=lambda each: each.view.event):
        port = study.ports.of(TensorRef(origin.view.site, origin.view.slot))
        if port != NONE and not known[port]:
            behind = _behind(study, port)
            known |= behind
            yield origin, behind


def _behind(study: Study, port: int) -> Bools:
    """The ports that are made from a port, also by way of variables."""
    marked = np.zeros(len(study.ports.site), dtype=np.bool_)
    marked[port] = True
    site = study.wiring.site(port)
    ruined = set() if site is None else set(site.writes)
    while True:
        for reading in study.program.sites.values():
            if ruined.intersection(reading.reads):
                marked[study.ports.first[reading.site]] = True
        marked = study.wiring.descendants(marked)
        written = {
            variable
            for writing in study.program.sites.values()
            if writing.writes and marked[study.ports.first[writing.site]]
            for variable in writing.writes
        }
        if written <= ruined:
            return marked
        ruined |= written
