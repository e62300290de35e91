"""Answers Prometheus: a run's figures in its text format, over HTTP. It is off unless an address is given.

The format is a few lines of text, which need no library; the tests read them with that of Prometheus.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tensordbg.watching.looking import Look
from tensordbg.watching.news import news_of

_GAUGES = {
    "events": "Tensors that were recorded.",
    "not_finite": "Tensors with a NaN or an infinity.",
    "steps": "Steps of what ran most often.",
    "dropped": "Events that could not be read, or were overwritten.",
    "last_s": "When the last tensor was computed, in seconds since 1970.",
    "running": "1 while more may be recorded.",
    "overhead": "What recording has cost so far, as a share of the program's own time.",
}
_NAMES = {"last_s": "last_event_timestamp_seconds", "overhead": "overhead_ratio"}


def metrics_text(look: Look | None) -> str:
    """The figures of a run; without one only that there is none."""
    lines = list(_gauge("watched_runs", "Runs that are watched.", {"": 0 if look is None else 1}))
    if look is not None:
        run = look.run.processes[0].folder.name
        for name, text in _GAUGES.items():
            figures = {process: getattr(each, name) for process, each in look.figures.items()}
            known = {
                _labels(run=run, process=process): value for process, value in figures.items() if value is not None
            }
            lines += _gauge(_NAMES.get(name, name), text, known)
        counts = Counter((each.kind, each.name) for each in news_of(look.result))
        found = {_labels(run=run, kind=kind, name=name): number for (kind, name), number in counts.items()}
        lines += _gauge("findings", "Findings, warnings, alerts and errors by name.", found)
    return "\n".join(lines) + "\n"


def _gauge(name: str, text: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP tensordbg_{name} {text}"
    yield f"# TYPE tensordbg_{name} gauge"
    for labels, value in values.items():
        yield f"tensordbg_{name}{labels} {float(value):.17g}"


def _labels(**labels: str) -> str:
    escaped = (value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n") for value in labels.values())
    return "{" + ",".join(f'{name}="{value}"' for name, value in zip(labels, escaped, strict=True)) + "}"


class MetricsServer:
    """A server of the last look's figures, in a thread of its own."""

    def __init__(self, host: str, port: int) -> None:
        """Begins to listen.

        Raises:
            OSError: If that is not possible there.
        """
        self.text = metrics_text(None)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = self.path.split("?")[0] in {"/", "/metrics"}
                data = server.text.encode() if found else b""
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Says nothing of requests."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, name="tdbg-metrics", daemon=True).start()

    def show(self, look: Look | None) -> None:
        """Has the figures of a look be those that are answered."""
        self.text = metrics_text(look)

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()
