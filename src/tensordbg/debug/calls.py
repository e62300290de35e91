"""Descriptions of a run: what it calls, from which line, with what."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType

from tensordbg.console.pages.page import Place
from tensordbg.console.running import Stop, StopKind
from tensordbg.model import Frame
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.runs import DebuggedCall


def stop_at(kind: StopKind, number: int, run: DebuggedCall, catalog: Catalog) -> Stop:
    """The program stands before or behind a run."""
    feeds, fetches = run.feeds(catalog), run.fetches(catalog)
    return Stop(kind, number, call_of(run, feeds), fetches=fetches, feeds=feeds, place=place_of(run.caller, catalog))


def call_of(run: DebuggedCall, feeds: tuple[str, ...]) -> str:
    """`train_step(x, y)`, `Session.run(loss)`."""
    if run.by_session:
        return run.function.name
    return f"{run.function.name}({', '.join(feed.removesuffix(':0') for feed in feeds)})"


def place_of(frame: FrameType | None, catalog: Catalog) -> Place | None:
    """The innermost line of the user's own code."""
    return next((Place(each.file, each.line) for each in user_frames(frame, catalog)), None)


def user_frames(frame: FrameType | None, catalog: Catalog) -> Iterator[Frame]:
    """The lines of the user's own code that are under way, the innermost first."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not catalog.user_code.is_own(file) and catalog.user_code.is_user(file):
            yield Frame(file, frame.f_lineno, frame.f_code.co_name, True)
        frame = frame.f_back
