"""The forward operation behind an operation of a backward pass: its line is the one that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tensordbg.analysis.warnings.study.study import Study
from tensordbg.gradient_names import differentiated_type
from tensordbg.model import NONE, Site

_SCOPES = (
    re.compile(r"(?:^|/)gradient_tape(?:_\d+)?/(.+)$"),
    re.compile(r"(?:^|/)gradients(?:_\d+)?/(.+)_grad(?:_\d+)?/"),
)
"""How TensorFlow names gradient operations: after the forward operation, within a scope."""

_MOST = 64
"""So many operations back are looked at: the gradient of one operation has a few."""


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


def differentiated_eagerly(study: Study, site: Site) -> Site | None:
    """The forward operation of an eager gradient, by its type and what both take; `None` where lines differ.

    A variable that is given as it is was read in the framework, and shares nothing: then all of that type count. The
    gradients of all operations of a type are one site, so of several forward ones it is that which ran most often.
    """
    wanted = differentiated_type(study.program.stacks.get(site.stack, ()))
    if not wanted or site.function != NONE:
        return None
    near = {each.site: each for each in _of_type(study, _beside(study, site, wanted), wanted)}
    every = [each for each in study.program.sites.values() if each.function == NONE]
    found = [*near.values()] or [*_of_type(study, every, wanted)]
    most = max((study.runs[each.site] for each in found), default=0)
    often = [each for each in found if study.runs[each.site] == most]
    return often[0] if len({each.stack for each in often}) == 1 else None


def _of_type(study: Study, sites: Iterable[Site | None], wanted: str) -> Iterator[Site]:
    for each in sites:
        if each is not None and each.op_type.lower() == wanted and not study.gradient[study.ports.first[each.site]]:
            yield each


def _beside(study: Study, site: Site, wanted: str) -> Iterator[Site | None]:
    """What makes and takes that from which the gradient of one operation is computed, several operations of it."""
    waiting = [int(study.ports.first[site.site])]
    seen = {*waiting}
    while waiting and len(seen) <= _MOST:
        for port in study.wiring.parents(waiting.pop()):
            maker = study.wiring.site(port)
            if port in seen or maker is None:
                continue
            if not study.gradient[port]:
                yield maker
                yield from map(study.wiring.site, study.wiring.children(port))
            elif differentiated_type(study.program.stacks.get(maker.stack, ())) == wanted:
                seen.add(port)
                waiting.append(port)


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
