"""Has the names of where a pipeline's elements came from kept whole, at any detail that measures tensors.

They are few bytes beside each element, and without them nobody can tell which element a call was for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tensordbg.model import Frame, Function, Site, SourceFile, Variable, names_origins
from tensordbg.recording.catalog import CatalogSink

Choose = Callable[[list[int], bool], None]
"""(sites, whether their values are kept from now on)."""


class OriginChoice:
    """Passes rows on to `sink`, and chooses the sites that hold names of origins."""

    def __init__(self, sink: CatalogSink, choose: Choose) -> None:
        self._sink = sink
        self._choose = choose

    def sites(self, sites: Iterable[Site]) -> None:
        """Chooses those that hold names."""
        known = list(sites)
        self._sink.sites(known)
        chosen = [site.site for site in known if names_origins(site.name)]
        if chosen:
            self._choose(chosen, True)

    def function(self, function: Function) -> None:
        """See `CatalogSink`."""
        self._sink.function(function)

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        """See `CatalogSink`."""
        self._sink.stack(number, frames)

    def source(self, source: SourceFile) -> None:
        """See `CatalogSink`."""
        self._sink.source(source)

    def variable(self, variable: Variable) -> None:
        """See `CatalogSink`."""
        self._sink.variable(variable)
