"""Names of the place where an operation was created, for the rows of the table: all its events share them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.details import function_name
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.model import Frame, Site


@dataclass(frozen=True)
class SiteNames:
    """The names that describe one site."""

    site: Site
    function: str
    """Python function of its graph, for eager code of the line."""
    given_function: str
    """The same as `tdbg ls` names it: the branches and bodies of loops have names of their own."""
    layer: str
    """Path of the Keras layer that it belongs to, empty outside."""
    source: Frame | None
    """The innermost line of the user's own code that created it."""


class NamedSites(Protocol):
    """A trace that knows the names of its sites."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    @property
    def sites(self) -> dict[int, SiteNames]:
        """The names of all sites by number; ask `site` for one."""

    @property
    def site_limit(self) -> int:
        """One more than the largest number of a site, be it described or not."""

    def site(self, number: int) -> SiteNames:
        """The names of a site, also of one that only events tell of."""


class NamedEvents(EventColumns, NamedSites, Protocol):
    """A trace whose events are searched and sorted by columns and names."""


def name_sites(program: Program) -> dict[int, SiteNames]:
    """The names of all sites that the trace describes, by number."""
    own = {number: _own_line(frames) for number, frames in program.stacks.items()}
    return {number: _named(program, site, own.get(site.stack)) for number, site in program.sites.items()}


def lost_site(program: Program, number: int) -> SiteNames:
    """Makes the names of a site that events refer to and nothing describes."""
    return _named(program, program.sites[number], None)


def _named(program: Program, site: Site, source: Frame | None) -> SiteNames:
    function, graph = function_name(program, site), program.functions.get(site.function)
    return SiteNames(site, function, function if graph is None else graph.name, layer_path(site), source)


def _own_line(frames: tuple[Frame, ...]) -> Frame | None:
    return next((frame for frame in reversed(frames) if frame.user), None)
