"""The plan of a trap: what it does when it closes."""

from __future__ import annotations

import enum
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tensordbg.errors import UsageError
from tensordbg.trapping.rules import StepRules

MARK = "tensordbg trap"
"""How what is said of a bad step begins."""


@dataclass(frozen=True)
class TrapFound:
    """The finding that the exception of a bad step carries."""

    sentence: str


class OnBad(str, enum.Enum):
    """The fate of a program whose step is bad."""

    STOP = "stop"
    """The step fails with an exception before anything is written."""
    SKIP = "skip"
    """The step writes nothing, and the program goes on."""
    RECORD = "record"
    """The step is as it would be without a trap."""


@dataclass(frozen=True)
class AskedCall:
    """The call of a function that is to be captured, whatever its numbers are."""

    function: str
    """Name of the Python function, or a pattern such as `predict*`."""
    number: int = 0
    """How many calls of it go before."""

    @property
    def words(self) -> str:
        """`call 2 of infer`."""
        return f"call {self.number} of {self.function}"


@dataclass(frozen=True)
class TrapPlan:
    """The actions at a bad step.

    Raises:
        UsageError: If `on_bad` is no such word, or `most` is less than 1.
    """

    folder: Path
    """Where captures go."""
    on_bad: OnBad = OnBad.STOP
    most: int = 10
    """So many captures are made, no more."""
    size: int = 2**32
    """Bytes that the tensors of one capture may take."""
    rules: StepRules = field(default_factory=StepRules)
    """What is bad beside what is not finite."""
    keep: int = 0
    """Bytes that what steps were given may take, kept to find the step in which a variable went bad; 0 to keep none and
    never look at the variables."""
    call: AskedCall | None = None
    """What is captured instead of bad steps."""

    def __post_init__(self) -> None:
        if self.most < 1:
            raise UsageError(f"{self.most} captures can't be kept; give a number from 1")

    def to_json(self) -> str:
        """The plan as one word, for the process that runs the program; without a predicate."""
        rules = {name: value for name, value in vars(self.rules).items() if name != "predicate"}
        return json.dumps({
            "folder": str(self.folder), "on_bad": self.on_bad.value, "most": self.most, "size": self.size,
            "rules": rules, "keep": self.keep, "call": None if self.call is None else asdict(self.call),
        })  # fmt: skip

    @classmethod
    def from_json(cls, text: str) -> TrapPlan:
        """The reverse of `to_json`."""
        row = json.loads(text)
        rules = StepRules(**row["rules"])
        call = None if row["call"] is None else AskedCall(**row["call"])
        return cls(Path(row["folder"]), OnBad(row["on_bad"]), row["most"], row["size"], rules, row["keep"], call)


def call_of(words: str) -> AskedCall:
    """The call that FUNCTION or FUNCTION:N names.

    Raises:
        UsageError: If it names none.
    """
    function, colon, number = words.partition(":")
    if not function or (colon and not number.isdecimal()):
        raise UsageError(f"{words!r} names no call; write FUNCTION, or FUNCTION:N for a later one than the first")
    return AskedCall(function, int(number or 0))


def on_bad_of(word: str) -> OnBad:
    """Reads a word of `--on-bad`.

    Raises:
        UsageError: If it says nothing.
    """
    try:
        return OnBad(word)
    except ValueError:
        known = ", ".join(each.value for each in OnBad)
        raise UsageError(f"on_bad is {word!r}, but must be one of {known}; choose one") from None
