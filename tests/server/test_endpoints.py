from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tensordbg.errors import AbsentError, TraceError, UsageError
from tensordbg.server import endpoints
from tensordbg.server.app import make_app
from tensordbg.server.endpoints import Endpoints
from tensordbg.server.settings import Settings
from tensordbg.wire.view.overview import Live
from tests.server.conftest import visit

NOW = Live(revision=3, tensor_events=10, executions=2, rate=math.nan, running=True)


class Answers:
    """Stands for `RunAnswers` and its library: raises or gives what it is told to."""

    def __init__(self, *given: Any) -> None:
        self.given: Iterator[Any] = iter(given)
        self.threads: set[str] = set()

    def answers(self, name: str) -> Answers:
        return self

    def live(self, process: str) -> Live:
        self.threads.add(threading.current_thread().name)
        given = next(self.given)
        if isinstance(given, Exception):
            raise given
        return given


def app_of(answers: Any) -> Starlette:
    return make_app(answers, Settings())


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (AbsentError("there is no event 9; the last is 8"), 404, "there is no event 9; the last is 8"),
        (TraceError("runs/a: is damaged;\nrecord again"), 404, "runs/a: is damaged; record again"),
        (UsageError("'op' needs a value; give one"), 400, "'op' needs a value; give one"),
        (ZeroDivisionError("x"), 500, "ZeroDivisionError: x; this is a fault of tensordbg, whose terminal says more"),
    ],
)
def test_errors_become_problems(error: Exception, status: int, sentence: str) -> None:
    response = visit(app_of(Answers(error)), "/api/live")
    assert (response.status_code, response.json()) == (status, {"error": sentence})


def test_numbers_that_json_lacks_become_null() -> None:
    response = visit(app_of(Answers(NOW)), "/api/live")
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {"revision": 3, "tensor_events": 10, "executions": 2, "rate": None, "running": True}


def test_answers_are_worked_out_in_other_threads() -> None:
    answers = Answers(NOW)
    visit(app_of(answers), "/api/live")
    assert threading.current_thread().name not in answers.threads


def test_news_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_LOOK", 0.001)
    answers = Answers(NOW, NOW, replace(NOW, revision=4))
    assert visit(app_of(answers), "/api/live?revision=3&wait=25").json()["revision"] == 4


def test_news_that_are_there_are_told_at_once() -> None:
    assert visit(app_of(Answers(NOW)), "/api/live?revision=2&wait=25").json()["revision"] == 3


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_LOOK", 0.001)
    answers = Answers(*[NOW] * 100_000)
    assert visit(app_of(answers), "/api/live?revision=3&wait=0.05").json()["revision"] == 3


def test_nobody_waits_when_the_server_ends() -> None:
    app = app_of(Answers(NOW, NOW))
    app.state.closing.set()
    assert visit(app, "/api/live?revision=3&wait=25").json()["revision"] == 3


def test_more_visitors_wait_than_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting holds no thread: with as many waiting as there are threads, another question is answered."""
    monkeypatch.setattr(endpoints, "_LOOK", 0.01)
    arrived = threading.Event()

    @dataclass
    class Many:
        def answers(self, name: str) -> Many:
            return self

        def live(self, process: str) -> Live:
            return replace(NOW, revision=4 if arrived.is_set() else 3)

        def runs(self) -> list[str]:
            arrived.set()
            return []

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app_of(Many()))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            waiting = [client.get("/api/live?revision=3&wait=25") for _ in range(50)]
            return await asyncio.gather(*waiting, client.get("/api/runs"))

    assert [response.status_code for response in asyncio.run(ask())] == [200] * 51


def test_description_is_served() -> None:
    described = visit(app_of(Answers()), "/api/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    paths = {route.path for route in Endpoints(Answers()).routes()}  # type: ignore[arg-type]
    assert {f"/api{path}" for path in paths} == {*described["paths"], "/api/openapi.json"}
