"""The finding of a check, as the exception that it raises carries it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckFound:
    """The first number that was not finite."""

    output: str
    """Which output of which operation, `output 0 of graph op "Log" (# of outputs: 1)`."""
    counts: tuple[tuple[str, int], ...]
    """How many elements are `-Inf`, `Inf` and `NaN`, of those that are there."""
    source: str
    """The line of the program to look at; empty where none is known."""
    allowing: str = ""
    """The setting that lets it pass; empty where there is a NaN in it, which is seldom meant."""

    @property
    def lines(self) -> str:
        """The lines behind the traceback."""
        counts = ", ".join(f"{count} {what}" for what, count in self.counts)
        first = f"tdbg: Infinity or NaN in {self.output}: {counts}\n"
        last = f"tdbg: if it is meant, let it pass with {self.allowing}\n" if self.allowing else ""
        return first + (f"tdbg: at {self.source}\n" if self.source else "") + last
