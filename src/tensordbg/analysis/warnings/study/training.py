"""Which gradient trains which variable.

Where the trace tells which gradient that is, nothing is to be found out. Else the walk goes back from the writes of a
variable through what an optimizer computes, as long as it has the variable's shape (a norm over all gradients ties
them all together), and through its momenta, up to the backward pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from tensordbg.analysis.program.held import noted_gradients
from tensordbg.analysis.warnings.study.study import Study

_FARTHEST = 3000


def gradients_of_variables(study: Study) -> Mapping[int, list[int]]:
    """For each trained variable that is written the series of its gradients, one for each port."""
    found = {}
    noted = noted_gradients(study.program)
    for variable in {**study.writers, **noted}:
        if study.is_trained(variable):
            known = [study.ports.of(ref) for ref in noted.get(variable, ())]
            gradients = (
                [k for port in known for k in study.at.get(port, [])[:1]] if known else _gradients(study, variable)
            )
            if gradients:
                found[variable] = gradients
    return found


def _gradients(study: Study, variable: int) -> list[int]:
    shape = study.program.variables[variable].shape
    open_ports = [int(study.ports.first[site.site]) for site in study.writers[variable]]
    seen = set(open_ports)
    found: list[int] = []
    while open_ports and len(seen) < _FARTHEST:
        port = open_ports.pop()
        for parent in _before(study, port, variable):
            if parent in seen:
                continue
            seen.add(parent)
            series = study.at.get(parent, [])
            if series and study.words[1][series[0]] != shape:
                continue
            if series and study.gradient[parent]:
                found.append(series[0])
            else:
                open_ports.append(parent)
    return sorted(found)


def _before(study: Study, port: int, variable: int) -> list[int]:
    """What a port is made from; for a read of another variable, such as a momentum, the writes of that."""
    read = study.variable_of.get(port)
    if read is None:
        return study.wiring.parents(port)
    if read == variable or study.program.variables[read].trainable or study.learning[port]:
        return []
    return [int(study.ports.first[site.site]) for site in study.writers.get(read, [])]
