"""Groups of processes that run an operation together, as the site of that operation tells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensordbg.backends.torch.attributes.settings import Setting

_GROUP = "group"
"""Under this name the observer tells of a group, beside how the operation was asked to compute."""


class Groups:
    """Stands before what describes sites, and puts a group into words that all processes have for it."""

    def __init__(self, describe: Callable[..., int], in_group: Callable[[], None]) -> None:
        """Hands on to `describe`; calls `in_group` at each place where several processes run something together."""
        self._describe = describe
        self._in_group = in_group

    def describe(self, *place: Any, **more: Any) -> int:
        """The number of a site, see `Sites.describe`; the last of `place` is how the operation was asked to compute."""
        settings: Mapping[str, Setting] | None = place[-1]
        group = settings.get(_GROUP) if isinstance(settings, Mapping) else None
        if settings is None or not isinstance(group, str):
            return self._describe(*place, **more)
        self._in_group()
        others = {name: value for name, value in settings.items() if name != _GROUP}
        return self._describe(*place[:-1], {**others, **attributes_of(group)}, **more)


def attributes_of(group: str) -> dict[str, Setting]:
    """The group's name and size; of two of it, of which one sends to the other, those two."""
    name, size, pair = group.split("\n")
    return {"group_key": f"{name} {pair}".strip(), "group_size": 2 if pair else int(size)}
