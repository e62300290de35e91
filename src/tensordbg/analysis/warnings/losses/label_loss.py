"""A loss that picks out the logarithms of probabilities is given something else: probabilities, or logits.

It takes them as they are, and can then be made smaller without end, or hardly at all. The logarithm of a probability is
never above 0, so one number above tells.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.written import kind_at
from tensordbg.operations.kinds import Kind

_ROUNDING = 1e-3


def no_log_probabilities(study: Study) -> list[Finding]:
    """One finding for each loss of labels that is given numbers above 0 throughout."""
    trained = study.from_trained
    found: dict[int, Finding] = {}
    for port, several in study.at.items():
        site = study.wiring.site(port)
        if site is None or operation_of(site).kind is not Kind.LABEL_LOSS or port != study.ports.first[site.site]:
            continue
        before = {nearest(study, parent) for parent in study.wiring.parents(port)}
        likely = [given for given in before if given in study.at and trained[given]]
        # The labels may be made by an operation of the same line and type as something that is trained.
        if all(_is_above(study, study.at[given][0]) for given in likely):
            found.update((given, _finding(study, several[0], given)) for given in likely)
    return list(found.values())


def _is_above(study: Study, k: int) -> bool:
    rows = study.series.rows(k)
    high = study.series.high[rows]
    return len(high) >= ENOUGH and bool(np.all(high > _ROUNDING))


def _finding(study: Study, k: int, given: int) -> Finding:
    probabilities = kind_at(study, given) is Kind.SOFTMAX
    what = "probabilities, the result of a softmax" if probabilities else "numbers above 0, such as logits"
    high = float(study.series.high[study.series.rows(study.at[given][0])].max())
    return Finding(
        kind="no_log_probabilities",
        series=k,
        explanation=f"{study.name(k)} takes the logarithms of probabilities, which are never above 0, but is given "
        f"{what}: {study.name(study.at[given][0])} reaches {number(high)}.",
        suggestion=study.fix(k, "no_log_probabilities", "probabilities" if probabilities else ""),
        evidence={"steps": int(study.series.lengths[k]), "largest": high},
        gravity=float(study.series.lengths[k]),
    )
