"""The forward operation behind an operation of a backward pass: its line is the one that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tensordbg.analysis.warnings.study import Study
from tensordbg.model import NONE, Site

_SCOPES = (
    re.compile(r"(?:^|/)gradient_tape(?:_\d+)?/(.+)$"),
    re.compile(r"(?:^|/)gradients(?:_\d+)?/(.+)_grad(?:_\d+)?/"),
)
"""How TensorFlow names gradient operations: after the forward operation, within a scope."""


def forward_of(study: Study, site: Site) -> Site | None:
    """The operation whose gradient a site helps to compute, as recorded or by its name; `None` where neither tells."""
    if site.gradient_of != NONE:
        return study.program.sites.get(site.gradient_of)
    if site.function == NONE:
        return _taken(study, site)
    for scope in _SCOPES:
        match = scope.search(site.name)
        if match:
            return _named(_names(study, site), match[1])
    return None


def _taken(study: Study, site: Site) -> Site | None:
    """The eager operation whose result an eager `ReluGrad` or its like takes; other gradients do not tell."""
    makers = [study.wiring.site(port) for port in study.wiring.parents(int(study.ports.first[site.site]))]
    return next((each for each in makers if each is not None and f"{each.op_type}Grad" == site.op_type), None)


def _names(study: Study, site: Site) -> Mapping[str, Site]:
    """The forward operations by name: those of the same graph, and where there are none those of all graphs."""
    same = [each for each in study.program.sites_of_graph.get(site.function, ()) if "gradient" not in each.name]
    function = study.program.functions.get(site.function)
    if function is not None and "__backward_" in function.runtime_name:
        same = [each for each in study.program.sites.values() if each.function != site.function]
    return {each.name: each for each in same}


def _named(names: Mapping[str, Site], name: str) -> Site | None:
    while name:
        if name in names:
            return names[name]
        name = name.rpartition("/")[0]
    return None
