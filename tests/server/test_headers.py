from __future__ import annotations

import pytest
from starlette.responses import PlainTextResponse

from tensordbg.server.headers import SafeHeaders
from tests.server.conftest import Visit, visit


def policy_of(header: str) -> dict[str, str]:
    return {part.split()[0]: part.strip().partition(" ")[2] for part in header.split(";")}


@pytest.mark.parametrize("path", ["/", "/api/runs", "/api/nothing", "/api/events?count=x"])
def test_every_response_has_them(ask: Visit, path: str) -> None:
    headers = ask(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers
    policy = policy_of(headers["content-security-policy"])
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]


def test_refused_requests_have_them_too(ask: Visit) -> None:
    for response in (ask("/api/runs", "POST"), ask("/api/runs", host="evil.example")):
        assert response.status_code >= 400
        assert "content-security-policy" in response.headers


def test_answers_are_not_kept(ask: Visit) -> None:
    assert ask("/api/runs").headers["cache-control"] == "no-store"


def test_frame_of_a_notebook() -> None:
    headers = visit(SafeHeaders(PlainTextResponse("x"), "'self'"), "/").headers
    assert policy_of(headers["content-security-policy"])["frame-ancestors"] == "'self'"
    assert "x-frame-options" not in headers
