"""Tensors that matter most to what becomes of a training: in some steps these are recorded alone, as a budget has it.

They are the loss, the gradients of variables, what variables hold, the outputs of layers, what came in from outside,
and what a logarithm is taken of, which is nearest to trouble. It is told from what a site says of itself, which may
come by later than the site: a gradient is known as one when its backward pass has run.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator

from tensordbg.model import GRADIENT_FOR, NONE, Site, names_origins
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.passing_sink import PassingSink

MATTERING = "losses, gradients, variables, inputs, outputs of layers"
"""These in words."""

Mute = Callable[[list[int], bool], None]
"""(sites, whether their tensors are left out from now on)."""


class MatteringTensors(PassingSink):
    """Passes rows on to `sink`; has all others muted for as long as these alone are wanted."""

    def __init__(self, sink: CatalogSink, mute: Mute, note: Callable[[], None]) -> None:
        """All tensors are wanted.

        Args:
            sink: Where rows go.
            mute: Of the log.
            note: Notes in the trace, once, that some steps have these alone.
        """
        super().__init__(sink)
        self._mute = mute
        self._lock = threading.Lock()
        self._mattering: set[int] = set()
        self._rest: set[int] = set()
        self._alone = False
        self._note: Callable[[], None] | None = note

    def choose(self, *, alone: bool) -> None:
        """Has these recorded alone from now on, or all tensors."""
        with self._lock:
            if alone and self._note is not None:
                self._note()
                self._note = None
            if alone != self._alone:
                self._alone = alone
                self._mute([*self._rest], alone)

    def sites(self, sites: Iterable[Site]) -> None:
        """Decides about sites; one that comes by again may matter now."""
        known = list(sites)
        self._sink.sites(known)
        with self._lock:
            mattering = {number for site in known for number in mattering_sites(site)} | gradients_among(known)
            self._mattering |= mattering
            rest = {site.site for site in known} - self._mattering
            if self._alone:
                self._mute([*(mattering & self._rest)], False)
                self._mute([*(rest - self._rest)], True)
            self._rest = (self._rest | rest) - mattering


def mattering_sites(site: Site) -> Iterator[int]:
    """The sites that matter as a site says: itself, or what it takes."""
    known = operation(site.framework, site.op_type)
    if (
        site.reads
        or site.writes
        or site.differentiated
        or site.argument != NONE
        or f'"{GRADIENT_FOR}"' in site.attributes
        or known.kind is Kind.INPUT
        or known.has(Trait.FROM_OUTSIDE, Trait.FROM_PIPELINE)
        or names_origins(site.name)
        or _is_output_of_layer(site)
    ):
        yield site.site
    taken = known.operand(Role.LOGARITHM)
    if taken is not None:
        yield site.site
        if taken < len(site.inputs):
            yield site.inputs[taken].site


def gradients_among(sites: Iterable[Site]) -> set[int]:
    """The sites of a backward pass whose results are used outside of it: gradients, as graphs have them."""
    known = {site.site: site for site in sites}
    outside = (site for site in known.values() if not site.backward)
    taken = {given.site for site in outside for given in site.inputs}
    return {number for number in taken if number in known and known[number].backward}


def _is_output_of_layer(site: Site) -> bool:
    return bool(site.layer) and bool(json.loads(site.layer).get("output_of"))
