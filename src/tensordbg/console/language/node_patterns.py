"""Which tensors a name or a pattern means, as filters have it."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.names.listing import split_slot

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.sites import NamedSites

_GRADIENT = "gradient/"
_SCOPES = re.compile(r"(?:.*/)?(?:gradient_tape|gradients)/")
"""Where TensorFlow 2 and 1 compute gradients."""


@dataclass(frozen=True)
class NodePattern:
    """A name, or a pattern of names."""

    compiled: re.Pattern[str]
    of_gradients: bool
    slot: int | None

    def fits(self, name: str) -> bool:
        """Whether it means the node of this name, or one that this name ends with after a `/`."""
        if self.of_gradients:
            scope = _SCOPES.match(name)
            return scope is not None and self.compiled.fullmatch(name[scope.end() :]) is not None
        return self.compiled.fullmatch(name) is not None or (
            "/" in name and self.compiled.fullmatch(name.rpartition("/")[2]) is not None
        )

    def sites(self, opened: NamedSites) -> Bools:
        """For each site, by number, whether its node is meant."""
        found = np.zeros(opened.site_limit, dtype=np.bool_)
        # A site that nothing describes has no name that anybody would type.
        found[[number for number, names in opened.sites.items() if self.fits(names.site.name)]] = True
        return found


def parse_pattern(text: str) -> NodePattern:
    """Reads a name or a pattern with `*`, `?` and `[...]`."""
    name, slot = split_slot(text)
    of_gradients = name.startswith(_GRADIENT)
    return NodePattern(re.compile(fnmatch.translate(name.removeprefix(_GRADIENT))), of_gradients, slot)
