"""When a process began, as the kernel counts: with its number it names the process, whatever becomes of the clocks."""

from __future__ import annotations

from pathlib import Path


def started_of(process: int) -> int | None:
    """When a process began, in ticks since the machine did; None where the system does not say."""
    stated = state_of(process)
    return None if stated is None else stated[1]


def state_of(process: int) -> tuple[str, int] | None:
    """A process's state, and when it began."""
    try:
        state, *rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return state, int(rest[18])
    except (OSError, ValueError, LookupError):
        return None
