"""Executions over time, for the page: each by itself where there are few, else counted in bins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """One execution on the timeline."""

    execution: int
    begin_ns: int
    end_ns: int
    """Of an eager operation and of a call that did not end its begin."""
    name: str
    """Function, or operation type."""
    step: int
    eager: bool
    events: int
    non_finite: int
    failed: bool


@dataclass(frozen=True)
class Bin:
    """Executions of a short time together."""

    begin_ns: int
    end_ns: int
    functions: int
    eager: int
    events: int
    non_finite: int
    """How many of the executions have a tensor that is not finite."""
    busy: float
    """Share of the time in which a function ran, 0 to 1."""
    first_bad: int | None
    """The first such execution."""


@dataclass(frozen=True)
class Lane:
    """What one thread, or one device, did; it has spans or bins."""

    lane: int
    label: str
    thread: int
    device: str
    """Empty for a thread as a whole."""
    executions: int
    """In the range asked for."""
    spans: tuple[Span, ...]
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Timeline:
    """All lanes in a range of time."""

    revision: int
    begin_ns: int
    """Of the range that is shown, since 1970."""
    end_ns: int
    first_ns: int
    """Of the whole trace."""
    last_ns: int
    executions: int
    """Of the whole trace."""
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class ExecutionView:
    """One execution."""

    execution: int
    name: str
    eager: bool
    function: int | None
    step: int
    thread: int
    begin_ns: int
    end_ns: int | None
    failed: bool
    events: int
    non_finite: int
    first_event: int | None
    """Its tensor events are searched with `execution:N`."""
    first_bad_event: int | None
