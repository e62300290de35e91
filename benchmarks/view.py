"""The server of the browser's page: how soon a long trace is seen, and how fast one scrolls through it.

The traces are those of `scale.py`, sealed as `tdbg run` leaves them. Times are those of a client on the same machine,
with HTTP and JSON. What is wanted: a page of 200 events within 20 ms (99 in 100), the first page of a million events
within 1.5 s.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
from scale import RESULTS, SIZES, record

ROWS = 200
PAGES = 1000
SEARCH = "op:MatMul nonfinite"
# What the page asks for when it is opened.
OPENING = {
    "overview": {},
    "events": {"count": ROWS},
    "timeline": {"width": 1600},
    "sources": {},
    "findings": {},
}


@dataclass(frozen=True)
class Percentiles:
    """Of the time of many requests of one kind, in milliseconds."""

    median: float
    of_99: float
    worst: float


class Client:
    """One connection to the server."""

    def __init__(self, link: str) -> None:
        """The link is that of the page, with the token in it."""
        where = urlsplit(link)
        self._connection = http.client.HTTPConnection(where.netloc, timeout=600)
        self._page = where.path.rstrip("/")

    def ask(self, route: str, **parameters: object) -> bytes:
        """The answer, read to its end."""
        self._connection.request("GET", f"{self._page}/api/{route}?{urlencode(parameters)}")
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(body.decode())
        return body

    def seconds(self, route: str, **parameters: object) -> float:
        """What an answer takes."""
        began = time.perf_counter()
        self.ask(route, **parameters)
        return time.perf_counter() - began


@contextmanager
def serving(trace: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs `tdbg view`, and gives the link of its page."""
    command = [sys.executable, "-m", "tensordbg", "view", str(trace), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield process, re.findall(r"http://\S+", line)[0]
    finally:
        process.terminate()
        process.wait()


def opening(link: str) -> dict[str, float]:
    """Seconds from when the page asks, all at once, until each answer is there; nothing was read before."""
    with ThreadPoolExecutor(len(OPENING)) as threads:
        asked = {
            route: threads.submit(Client(link).seconds, route, **parameters) for route, parameters in OPENING.items()
        }
        return {route: each.result() for route, each in asked.items()}


def scrolling(client: Client, events: int, pages: int, **wanted: object) -> Percentiles:
    """Pages from anywhere in a list."""
    chance = random.Random(1)
    begins = [chance.randrange(max(1, events - ROWS)) for _ in range(pages)]
    took = [client.seconds("events", begin=begin, count=ROWS, **wanted) * 1e3 for begin in begins]
    return Percentiles(*(float(np.percentile(took, share)) for share in (50, 99, 100)))


def megabytes(process: subprocess.Popen[str]) -> float:
    """The largest resident memory of the server so far."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1e3


def measure(trace: Path) -> dict[str, object]:
    """Everything about one trace."""
    with serving(trace) as (process, link):
        opened = opening(link)
        client = Client(link)
        total = json.loads(client.ask("events", count=1))["total"]
        by_number = scrolling(client, total, PAGES)
        first_search = client.seconds("events", search=SEARCH, count=ROWS)
        found = json.loads(client.ask("events", search=SEARCH, count=1))["total"]
        searched = scrolling(client, found, PAGES // 10, search=SEARCH)
        first_sort = client.seconds("events", order="max", descending="true", count=ROWS)
        return {
            "events": total,
            "opening_seconds": opened,
            "page_milliseconds": asdict(by_number),
            "first_search_seconds": first_search,
            "searched_page_milliseconds": asdict(searched),
            "first_sort_seconds": first_sort,
            "megabytes": megabytes(process),
        }


def show(measured: dict[str, object]) -> None:
    """Prints what was measured of one trace."""
    print(f"{measured['events']:,} tensor events")
    for name, value in measured.items():
        if name != "events":
            parts = value.items() if isinstance(value, dict) else [("", value)]
            print(f"  {name:28}" + "  ".join(f"{part} {number:.3g}".strip() for part, number in parts), flush=True)


def main() -> None:
    """Prints what was measured, and keeps it."""
    from tensordbg.trace.sealed.seal import seal_all

    results = []
    for events in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            trace = record(Path(folder), events)
            seal_all(trace)
            results.append(measure(trace))
            show(results[-1])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "view.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
