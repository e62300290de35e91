"""What the note of an operation tells of ragged and sparse tensors: which tensors make up one value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tensordbg.model import COMPOSITES, Site, TensorRef

_LEAST = {"ragged": 1, "sparse": 2}
"""By kind of value how many parts there are at least beside the elements."""


def noted_composites(attributes: str) -> list[tuple[int, str, list[tuple[str, int]]]]:
    """Slot, kind and parts (operations of its graph by name, with slots) of the values that a site's note tells."""
    if COMPOSITES not in attributes:
        return []
    noted = json.loads(attributes).get(COMPOSITES)
    found: list[tuple[int, str, list[tuple[str, int]]]] = []
    for slot, each in enumerate(noted if isinstance(noted, list) else []):
        for kind, parts in each.items() if isinstance(each, dict) else ():
            if kind in _LEAST and _is_list_of_places(parts) and len(parts) >= _LEAST[kind]:
                found.append((slot, kind, [(name, number) for name, number in parts]))
    return found


def _is_list_of_places(parts: object) -> bool:
    return isinstance(parts, list) and all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], int)
        for each in parts
    )


def wholes(sites: Iterable[Site]) -> Mapping[TensorRef, TensorRef]:
    """For each tensor of some sites that is a part of a ragged or sparse tensor the one that holds its elements."""
    known = tuple(sites)
    bearers = [site for site in known if COMPOSITES in site.attributes]
    numbers = {(site.function, site.name): site.site for site in known} if bearers else {}
    found: dict[TensorRef, TensorRef] = {}
    for site in bearers:
        for slot, _, parts in noted_composites(site.attributes):
            for name, number in parts:
                part = numbers.get((site.function, name))
                if part is not None:
                    found[TensorRef(part, number)] = TensorRef(site.site, slot)
    return found
