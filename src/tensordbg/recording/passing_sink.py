"""A stage between the catalog and the writer of a trace: it hands rows on, and looks at some of them."""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.model import Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.catalog import CatalogSink


class PassingSink:
    """Hands all rows on to `sink`; a class of it overrides what it looks at."""

    def __init__(self, sink: CatalogSink) -> None:
        self._sink = sink

    def sites(self, sites: Iterable[Site]) -> None:
        """See `CatalogSink`."""
        self._sink.sites(sites)

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
