"""Variables that an optimizer was given to train and that never get a gradient, although the loss is made of them.

So it is where a tensor is cut from what it was made of (`detach`, `item`, `numpy`, no gradients asked for). What is
computed and not used, such as a layer for other tasks, has no gradient either, and is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from tensordbg.analysis.warnings.gradients.cut_losses import where_cut
from tensordbg.analysis.warnings.study.losses import find_losses, losses_of
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.model import WITHOUT_GRADIENT

_NOTHING = "what `backward` was called on is not connected with anything that is to be trained."
_CUT = "the loss is made of what it computes, but is cut from it."


def without_gradient(study: Study) -> list[Finding]:
    """One finding for all variables that no gradient reaches."""
    noted = noted_without(study)
    all_of_it = not study.writers.keys() - set(_not_trained(study))
    losses = find_losses(study) if noted and not all_of_it else []
    found = {
        variable: port
        for port, variable in study.variable_of.items()
        if variable in noted and port in study.at and (all_of_it or losses_of(study, losses, port))
    }
    if not found:
        return []
    variables = sorted(found)
    k = study.at[found[variables[0]]][0]
    names = [study.program.variables[each].name for each in variables]
    steps = max(noted[each] for each in variables)
    more = f" and {len(names) - 1} more variable{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    they = "they have" if more else "it has"
    return [
        Finding(
            kind="without_gradient",
            series=k,
            explanation=f"An optimizer was given {names[0]}{more}, but in {steps} of its steps {they} no gradient: "
            f"{_NOTHING + where_cut(study, variables) if all_of_it else _CUT}",
            suggestion=study.fix(k, "without_gradient"),
            evidence={"steps": steps, "variables": len(names)},
            gravity=float(len(names)),
            variable=variables[0],
            site=_first_use(study, found[variables[0]]),
            also=listed(names),
        )
    ]


def noted_without(study: Study) -> Mapping[int, int]:
    """By variable that had no gradient in the steps of its optimizer in how many steps that was."""
    found = {}
    for site in study.program.sites.values():
        if f'"{WITHOUT_GRADIENT}"' in site.attributes and len(site.reads) == 1:
            count = json.loads(site.attributes).get(WITHOUT_GRADIENT)
            if isinstance(count, int) and study.is_trained(site.reads[0]):
                found[site.reads[0]] = count
    return found


def _not_trained(study: Study) -> list[int]:
    return [each for each in study.writers if not study.is_trained(each)]


def _first_use(study: Study, port: int) -> int:
    """The first operation that takes a variable: its line is where to begin to look."""
    children = study.wiring.children(port)
    return int(np.min(study.ports.site[children])) if children else int(study.ports.site[port])
