"""Tells how came what a replayed step took from outside."""

from __future__ import annotations

import json

from tensordbg.model import BEFORE_STEP, Site


def came_before(site: Site) -> str:
    """How it came, see `BEFORE_STEP`; empty of anything else."""
    if f'"{BEFORE_STEP}"' not in site.attributes:
        return ""
    told = json.loads(site.attributes).get(BEFORE_STEP)
    return told if isinstance(told, str) else ""
