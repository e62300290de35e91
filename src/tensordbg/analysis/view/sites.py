"""What a row of the table says of the place that an operation was created at: names that all its events share."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tensordbg.analysis.details import function_name
from tensordbg.analysis.program import Program
from tensordbg.model import Frame, Site


@dataclass(frozen=True)
class SiteNames:
    """Of one site."""

    site: Site
    function: str
    """Python function of its graph, for eager code of the line."""
    layer: str
    """Path of the Keras layer that it belongs to, empty outside."""
    source: Frame | None
    """The innermost line of the user's own code that created it."""


def name_sites(program: Program) -> dict[int, SiteNames]:
    """The names of all sites that the trace describes, by number."""
    own = {number: _own_line(frames) for number, frames in program.stacks.items()}
    return {
        number: SiteNames(site, function_name(program, site), layer_path(site), own.get(site.stack))
        for number, site in program.sites.items()
    }


def lost_site(program: Program, number: int) -> SiteNames:
    """Of a site that events name and nothing describes."""
    site = program.sites[number]
    return SiteNames(site, function_name(program, site), "", None)


def layer_path(site: Site) -> str:
    """The layer that a site belongs to; empty outside of layers."""
    return str(json.loads(site.layer)["path"]) if site.layer else ""


def _own_line(frames: tuple[Frame, ...]) -> Frame | None:
    return next((frame for frame in reversed(frames) if frame.user), None)
