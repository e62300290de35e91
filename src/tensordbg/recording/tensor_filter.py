"""Which tensors are recorded at all: by the operation's type and name and by dtype. Executions and sites always are.

The decision about a site is made when the site comes by on its way to the trace, and again when something else is
wanted; the native log is told. What does not pass is neither looked at nor written.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tensordbg.health.spec import DTYPES
from tensordbg.model import Site
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.passing_sink import PassingSink

Mute = Callable[[list[int], bool], None]
"""(sites, whether their tensors are left out from now on)."""


@dataclass(frozen=True)
class TensorFilter:
    """Chooses tensors; all that is given must hold.

    Raises:
        re.error: If a pattern is no regular expression.
    """

    op_types: str = ""
    """A regular expression that the operation's type begins with, as for `re.match`; all types if it is empty."""
    dtypes: frozenset[int] | None = None
    """Numbers of dtypes as in `health/spec.py`; None stands for all."""
    names: str = ""
    """A regular expression that the operation's name begins with; all names if it is empty."""

    def __post_init__(self) -> None:
        re.compile(self.op_types)
        re.compile(self.names)

    @property
    def chooses_operations(self) -> bool:
        """Whether any operation may be left out."""
        return bool(self.op_types or self.names)

    def has(self, op_type: str, name: str = "") -> bool:
        """Whether tensors of operations of a type and name are wanted."""
        return re.match(self.op_types, op_type) is not None and re.match(self.names, name) is not None

    @property
    def note(self) -> str:
        """A note on a trace that was filtered; empty if nothing was."""
        limits = []
        if self.op_types:
            limits.append(f"of operations whose type matches {self.op_types!r}")
        if self.names:
            limits.append(f"of operations whose name matches {self.names!r}")
        if self.dtypes is not None:
            names = [name for number, name in enumerate(DTYPES) if number in self.dtypes]
            limits.append(f"of dtype {', '.join(names) or '(none)'}")
        if not limits:
            return ""
        return f"only tensors {' and '.join(limits)} were recorded; what others held is not known"

    @property
    def mask(self) -> int:
        """One bit for each dtype that is wanted, 64 in all."""
        if self.dtypes is None:
            return 2**64 - 1
        return sum(1 << number for number in self.dtypes)


class TensorChoice(PassingSink):
    """Passes rows on to `sink`, and has the sites that are not wanted muted."""

    def __init__(self, sink: CatalogSink, wanted: TensorFilter, mute: Mute) -> None:
        super().__init__(sink)
        self._wanted = wanted
        self._mute = mute
        self._lock = threading.Lock()
        self._seen: dict[int, Site] = {}
        self._muted: set[int] = set()

    def choose(self, wanted: TensorFilter) -> None:
        """Wants other tensors from now on."""
        with self._lock:
            if wanted == self._wanted:
                return
            self._wanted = wanted
            unwanted = {number for number, site in self._seen.items() if not wanted.has(site.op_type, site.name)}
            self._mute(sorted(unwanted - self._muted), True)
            self._mute(sorted(self._muted - unwanted), False)
            self._muted = unwanted

    def sites(self, sites: Iterable[Site]) -> None:
        """Decides about sites."""
        known = list(sites)
        self._sink.sites(known)
        with self._lock:
            self._seen.update((site.site, site) for site in known)
            if not self._wanted.chooses_operations:
                return
            unwanted = [site.site for site in known if not self._wanted.has(site.op_type, site.name)]
            self._muted.update(unwanted)
            self._mute(unwanted, True)
