from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from tensordbg.tensorboard.mount import Mount

PREFIX = "/data/plugin/tensordbg"


def ask(mount: Mount, path: str, query: str = "", **more: str) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body of an answer, as a WSGI server has them; text as latin-1."""
    environment: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": query, **more}
    setup_testing_defaults(environment)
    started: list[Any] = []
    body = b"".join(mount(environment, lambda status, headers, *_: started.extend((status, dict(headers)))))
    return int(started[0].split()[0]), started[1], body


@pytest.fixture
def mount(sample: Path) -> Mount:
    return Mount(PREFIX, sample.parent)


def test_answers_below_the_prefix(mount: Mount) -> None:
    status, headers, body = ask(mount, f"{PREFIX}/api/runs")
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert [run["run"] for run in json.loads(body)["runs"]] == ["sample"]


def test_prefix_below_another(mount: Mount) -> None:
    assert ask(mount, f"{PREFIX}/api/events", "count=1", SCRIPT_NAME="/board")[0] == 200


def test_any_host_and_any_frame(mount: Mount) -> None:
    status, headers, _ = ask(mount, f"{PREFIX}/index.html", HTTP_HOST="board.example:6006")
    assert status in {200, 404}  # 404 where the page is not built
    policy = headers["content-security-policy"]
    assert "frame-ancestors" not in policy
    assert "nonce" not in policy
    assert "x-frame-options" not in headers


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        (f"{PREFIX}/nothing", "", 404),
        (f"{PREFIX}/../../etc/passwd", "", 404),
        (f"{PREFIX}/\xff\xfe", "", 404),
        (f"{PREFIX}/api/events", "search=\xff", 200),
        (f"{PREFIX}/api/events", "count=\xc3\xa9", 400),
        (f"{PREFIX}/api/source", "file=%C3%A9.py", 404),
    ],
)
def test_odd_requests(mount: Mount, path: str, query: str, status: int) -> None:
    assert ask(mount, path, query)[0] == status


def test_first_requests_at_once(mount: Mount) -> None:
    statuses: list[int] = []
    asking = [threading.Thread(target=lambda: statuses.append(ask(mount, f"{PREFIX}/api/runs")[0])) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert statuses == [200] * 8


def test_nothing_is_there_yet(tmp_path: Path) -> None:
    mount = Mount(PREFIX, tmp_path)
    assert json.loads(ask(mount, f"{PREFIX}/api/runs")[2])["runs"] == []
    assert ask(mount, f"{PREFIX}/api/overview")[0] == 404
