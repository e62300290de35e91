"""A loss that applies its own softmax or sigmoid is given what has gone through one already.

It trains, slowly and not to the end: of probabilities as logits the loss of the right class can't fall below
log(1 + (n - 1) / e).
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study, brings_data
from tensordbg.analysis.warnings.study.written import kind_at
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind

_LOSSES = frozenset({Kind.SIGMOID_LOSS, Kind.SOFTMAX_LOSS, Kind.SPARSE_SOFTMAX_LOSS})
_LABELS = frozenset({Kind.CONSTANT, Kind.ONE_HOT})
_NAMES = {Kind.SOFTMAX: "softmax", Kind.SIGMOID: "sigmoid"}
_KEEPING = frozenset({Kind.CAST, Kind.IDENTITY, Kind.RESHAPE, Kind.SQUEEZE})

_STABLE = (Kind.EXP, Kind.SELECT)
"""How the sigmoid's loss is computed: log1p(exp(x where x is negative, else -x))."""


def activations_twice(study: Study) -> list[Finding]:
    """One finding for each loss, at most one for each activation that goes into several."""
    found: dict[int, Finding] = {}
    for port, several in study.at.items():
        site = study.wiring.site(port)
        if site is None or not study.forward[port] or study.series.lengths[several[0]] < ENOUGH:
            continue
        for before in _logits(study, port, site):
            maker = study.wiring.site(before)
            kind = kind_at(study, before)
            if maker is not None and kind in _NAMES and _fits(site, kind):
                found.setdefault(before, _finding(study, several[0], maker, _NAMES[kind]))
    return list(found.values())


def _fits(site: Site, kind: Kind) -> bool:
    """A softmax may be the score of classes of which each is true or false: then a sigmoid's loss is none of it."""
    own = operation_of(site).kind
    return (own in (*_LOSSES, Kind.LOG_SOFTMAX) and own is not Kind.SIGMOID_LOSS) or kind is Kind.SIGMOID


def _logits(study: Study, port: int, site: Site) -> Iterator[int]:
    """The ports that a loss takes as logits."""
    if _is_loss(study, port, site) and port == study.ports.first[site.site]:
        given = study.program.inputs_of(site.site)
        parents = [study.ports.of(given[0])] if given else _computed(study, study.wiring.parents(port))
        if len(parents) == 1:  # eagerly it is not known which of two are the labels
            yield _seen_through(study, parents[0])
    elif operation_of(site).kind is Kind.LOG1P:
        here = port
        for wanted in _STABLE:
            parents = [nearest(study, each) for each in study.wiring.parents(here)]
            makers = {each: study.wiring.site(each) for each in parents}
            kinds = {each: operation_of(maker).kind for each, maker in makers.items() if maker is not None}
            here = next((each for each, kind in kinds.items() if kind is wanted), -1)
            if here < 0:
                return
        yield from (_seen_through(study, each) for each in study.wiring.parents(here))


def _is_loss(study: Study, port: int, site: Site) -> bool:
    """Whether it is a loss that takes logits, or the first half of one: a log-softmax of which labels choose."""
    kind = operation_of(site).kind
    if kind is not Kind.LOG_SOFTMAX:
        return kind in _LOSSES
    after = [study.wiring.site(child) for child in study.wiring.children(port)]
    return any(each is not None and operation_of(each).kind is Kind.LABEL_LOSS for each in after)


def _computed(study: Study, ports: list[int]) -> list[int]:
    """Those that are neither data nor made of class numbers; of several those that are made of what is trained."""
    trained = study.from_trained if len(ports) > 1 else study.gradient
    makers = {port: study.wiring.site(port) for port in ports if port in study.at}
    found = [port for port, maker in makers.items() if maker is not None and not _is_label(maker)]
    return found if len(found) < 2 else [port for port in found if trained[port]]


def _is_label(maker: Site) -> bool:
    return operation_of(maker).kind in _LABELS or brings_data(maker)


def _seen_through(study: Study, port: int) -> int:
    """The port itself, or what reshapes and casts make it of."""
    for _ in range(8):
        site = study.wiring.site(port)
        before = study.wiring.parents(port)
        if site is None or operation_of(site).kind not in _KEEPING or not before:
            break
        port = next((each for each in before if each in study.at), before[0])
    return port


def _finding(study: Study, k: int, maker: Site, name: str) -> Finding:
    steps = int(study.series.lengths[k])
    return Finding(
        kind="activation_twice",
        series=k,
        explanation=(
            f"{study.name(k)} takes logits and applies a {name} itself, but what it is given as logits is the result "
            f"of the {name} {maker.name}:0: numbers from 0 to 1, with which it can't become sure of anything."
        ),
        suggestion=study.fix(k, "activation_twice", name, name=name),
        evidence={"steps": steps, "activation": name},
        gravity=float(steps),
    )
