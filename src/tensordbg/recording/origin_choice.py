"""Has the names of where a pipeline's elements came from kept whole, at any detail that measures tensors.

They are few bytes beside each element, and without them nobody can tell which element a call was for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tensordbg.model import Site, names_origins
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.passing_sink import PassingSink

Choose = Callable[[list[int], bool], None]
"""(sites, whether their values are kept from now on)."""


class OriginChoice(PassingSink):
    """Passes rows on to `sink`, and chooses the sites that hold names of origins."""

    def __init__(self, sink: CatalogSink, choose: Choose) -> None:
        super().__init__(sink)
        self._choose = choose

    def sites(self, sites: Iterable[Site]) -> None:
        """Chooses those that hold names."""
        known = list(sites)
        self._sink.sites(known)
        chosen = [site.site for site in known if names_origins(site.name)]
        if chosen:
            self._choose(chosen, True)
