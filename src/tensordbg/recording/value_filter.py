"""Which tensors are kept whole when the detail is `values`, and how much room they may take."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase

from tensordbg.errors import UsageError

DEFAULT_BUDGET = 2 * 2**30

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_PREFIXES = ("", "k", "m", "g", "t")


@dataclass(frozen=True)
class Place:
    """The subject of a filter: an operation, and where it was created."""

    name: str
    op_type: str
    function: str
    """Name of the traced function, for eager code of the Python function around the line."""
    file: str
    """Of the innermost line of the user's own code."""


@dataclass(frozen=True)
class ValueFilter:
    """Chooses the tensors that are kept whole; all that is given must hold.

    Raises:
        UsageError: If the name is no regular expression, the steps are no range or the budget is negative.
    """

    name: str = ""
    """A regular expression that the operation's name holds."""
    op_types: tuple[str, ...] = ()
    """Types of operations, any of them."""
    function: str = ""
    """Name of the traced function, for eager code of that around the line; or a pattern with `*`, `?`, `[...]`."""
    file: str = ""
    """Path, or end of the path, of the source file whose line created the operation."""
    steps: tuple[int | None, int | None] = (None, None)
    """First and last step of the function, or of the eager operation; None leaves that side open."""
    budget: int = DEFAULT_BUDGET
    """Bytes on the disk; the first tensor that does not fit is the last that is tried."""

    def __post_init__(self) -> None:
        try:
            re.compile(self.name)
        except re.error as error:
            raise UsageError(f"the name {self.name!r} is no regular expression ({error}); mind `*` and `[`") from None
        first, last = self.steps
        if (first or 0) < 0 or (last is not None and last < (first or 0)):
            raise UsageError(f"the steps {first} to {last} are no range; give the first, from 0, and then the last")
        if self.budget < 0:
            raise UsageError(f"a budget of {self.budget} bytes is not possible; give 0 or more")

    @property
    def by_step(self) -> bool:
        """Whether only some steps are wanted."""
        return self.steps != (None, None)

    def has_step(self, step: int) -> bool:
        """Whether a step is wanted."""
        first, last = self.steps
        return (first is None or step >= first) and (last is None or step <= last)

    def has(self, place: Place) -> bool:
        """Whether the tensors of an operation are wanted, at whatever step."""
        return (
            re.search(self.name, place.name) is not None
            and (not self.op_types or place.op_type in self.op_types)
            and (not self.function or fnmatchcase(place.function, self.function))
            and (not self.file or place.file == self.file or place.file.endswith("/" + self.file.lstrip("/")))
        )

    def to_json(self) -> str:
        """The filter as one word, for the process that records."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ValueFilter:
        """The reverse of `to_json`."""
        known = cls(**json.loads(text))
        first, last = known.steps
        return replace(known, op_types=tuple(known.op_types), steps=(first, last))


def parse_size(text: str) -> int:
    """Bytes of `500M`, `1.5GiB`, `4096`; K, M, G and T are powers of 1024.

    Raises:
        UsageError: If it is no size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no size; write bytes, or a number with K, M, G or T, such as 500M")
    return int(float(match[1]) * 1024 ** _PREFIXES.index(match[2].lower()))


def size_text(size: int) -> str:
    """A size as a person writes it: `2 GiB`, `1.5 MiB`, `17 bytes`."""
    for power, prefix in reversed(tuple(enumerate(("KiB", "MiB", "GiB", "TiB"), start=1))):
        if size >= 1024**power:
            return f"{size / 1024**power:.4g} {prefix}"
    return f"{size} bytes"
