"""Reads from the note of an operation which tensors make up one ragged or sparse value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tensordbg.model import COMPOSITES, EAGER_COMPOSITE, Site, TensorRef

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


@dataclass(frozen=True)
class EagerComposite:
    """A ragged or sparse tensor that eager code puts together."""

    kind: str
    elements: TensorRef
    parts: tuple[TensorRef, ...]


def eager_composite(attributes: str) -> EagerComposite | None:
    """The ragged or sparse value that is put together at a site, by the site's note; None where it has no such note."""
    if EAGER_COMPOSITE not in attributes:
        return None
    noted = json.loads(attributes).get(EAGER_COMPOSITE)
    for kind, places in noted.items() if isinstance(noted, dict) else ():
        refs = [TensorRef(*each) for each in places if _is_place(each)] if isinstance(places, list) else []
        if kind in _LEAST and len(refs) == len(places) > _LEAST[kind]:
            return EagerComposite(kind, refs[0], tuple(refs[1:]))
    return None


def _is_place(each: object) -> bool:
    return isinstance(each, list) and len(each) == 2 and all(type(number) is int and number >= 0 for number in each)


def _is_list_of_places(parts: object) -> bool:
    return isinstance(parts, list) and all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], int)
        for each in parts
    )


def wholes(sites: Iterable[Site]) -> Mapping[TensorRef, TensorRef]:
    """For each tensor of some sites that is a part of a ragged or sparse tensor the one that holds its elements.

    Of several that share a part, as indices that an operation leaves as they are, it is the last.
    """
    return {part: elements[-1] for part, elements in all_wholes(sites).items()}


def all_wholes(sites: Iterable[Site]) -> Mapping[TensorRef, Sequence[TensorRef]]:
    """For each part of ragged or sparse tensors of some sites those that hold the elements of one."""
    known = tuple(sites)
    bearers = [site for site in known if COMPOSITES in site.attributes]
    numbers = {(site.function, site.name): site.site for site in known} if bearers else {}
    found: dict[TensorRef, list[TensorRef]] = {}
    for site in bearers:
        for slot, _, parts in noted_composites(site.attributes):
            for name, number in parts:
                part = numbers.get((site.function, name))
                if part is not None:
                    found.setdefault(TensorRef(part, number), []).append(TensorRef(site.site, slot))
    return found
