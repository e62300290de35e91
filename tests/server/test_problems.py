from __future__ import annotations

import json

from tensordbg.server.problems import problem
from tests.server.conftest import Visit


def test_problem_is_one_sentence_on_one_line() -> None:
    response = problem(400, "a\n  b")
    assert response.status_code == 400
    assert json.loads(bytes(response.body)) == {"error": "a b"}


def test_unknown_address(ask: Visit) -> None:
    for path in ("/api/nothing", "/nothing.js", "/api/events/1/2"):
        response = ask(path)
        assert response.status_code == 404
        assert response.json()["error"].startswith("there is no such address here;")
