"""Watches a run: looks at it again and again, and tells what is new, each thing once."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from tensordbg.watching.looking import Look, Looking
from tensordbg.watching.news import News, news_of
from tensordbg.watching.telling import Teller, message_of

SHARE = 20
"""A look may take so small a part of the time: one that took a second is followed by a pause of twenty."""

LONGEST_S = 60.0
"""No pause is longer for that."""

_TRIES = 10
"""So often a piece of news is tried to be told."""


@dataclass(frozen=True)
class Faces:
    """Where the news go."""

    say: Callable[[str], None]
    """Prints a line."""
    tellers: Sequence[Teller]
    report: Callable[[Look], str]
    """Writes the report of a look; gives its link, or what else leads to it."""
    show: Callable[[Look | None], None]
    """Shows the figures of each look."""


class Watcher:
    """Watches one run, or the newest of a folder."""

    def __init__(self, looking: Looking, faces: Faces) -> None:
        """Begins to watch when `watch` is called."""
        self._looking = looking
        self._faces = faces
        self._reported: set[Hashable] = set()
        self._waiting: list[tuple[Teller, dict[str, object], int]] = []

    def watch(self, every_s: float, *, on: bool) -> None:
        """Looks until the run has ended.

        Args:
            every_s: Seconds between two looks at least.
            on: Whether to go on after the end, with the next run in the folder.
        """
        again = False
        while True:
            began = time.process_time()
            look = self._looking.look()
            took = time.process_time() - began
            self._faces.show(look)
            if look is not None:
                self.tell(look)
            self._try_again()
            if look is not None and not look.running and not on:
                self._end(every_s)
                return
            # The first look at a run brings the libraries along, and says nothing of those that follow.
            time.sleep(max(every_s, min(SHARE * took, LONGEST_S)) if again else every_s)
            again = look is not None

    def tell(self, look: Look) -> None:
        """Tells what is new in a look."""
        trace = str(look.run.lasting_path)
        first = look.run.processes[0].folder.name
        new = [each for each in news_of(look.result) if (first, each.key) not in self._reported]
        if not new:
            return
        link = self._faces.report(look)
        for each in new:
            self._reported.add((first, each.key))
            self._faces.say(_line(each))
            message = message_of(each, trace, link)
            self._waiting += [(teller, message, 0) for teller in self._faces.tellers]

    def _end(self, every_s: float) -> None:
        """Tries until all is told, or given up."""
        while self._waiting:
            time.sleep(every_s)
            self._try_again()

    def _try_again(self) -> None:
        waiting, self._waiting = self._waiting, []
        for teller, message, tries in waiting:
            problem = teller(message)
            if not problem:
                continue
            if tries + 1 < _TRIES:
                self._waiting.append((teller, message, tries + 1))
            if not tries or tries + 1 == _TRIES:
                again = "given up" if tries else "tried again with each look"
                self._faces.say(f"{problem}; {again}")


def _line(news: News) -> str:
    place = f"{news.place}: " if news.place else ""
    return f"{news.kind} {news.name}: {place}{news.headline}"
