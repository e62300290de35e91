from __future__ import annotations

import re

import pytest
from starlette.responses import PlainTextResponse

from tensordbg.server.headers import SafeHeaders
from tensordbg.server.settings import Settings
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
    headers = visit(SafeHeaders(PlainTextResponse("x"), Settings(frame_ancestors="'self'")), "/").headers
    assert policy_of(headers["content-security-policy"])["frame-ancestors"] == "'self'"
    assert "x-frame-options" not in headers


def test_frame_of_anybody() -> None:
    headers = visit(SafeHeaders(PlainTextResponse("x"), Settings(frame_ancestors="")), "/").headers
    assert "frame-ancestors" not in policy_of(headers["content-security-policy"])


def test_styles_need_a_word_that_is_never_the_same() -> None:
    app = SafeHeaders(PlainTextResponse("x"), Settings())
    styles = {policy_of(visit(app, "/").headers["content-security-policy"])["style-src"] for _ in range(3)}
    assert len(styles) == 3
    assert all(re.fullmatch(r"'self' 'nonce-[\w-]{20,}'", style) for style in styles)
