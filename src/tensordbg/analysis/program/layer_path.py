"""The layer that an operation belongs to, as its site tells it."""

from __future__ import annotations

import json

from tensordbg.model import Site


def layer_path(site: Site) -> str:
    """The path of the layer whose code created an operation; empty where none did."""
    return str(json.loads(site.layer)["path"]) if site.layer else ""
