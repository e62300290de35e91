from __future__ import annotations

from pathlib import Path

from tensordbg.server.app import make_app
from tensordbg.server.library import Library
from tensordbg.server.settings import Settings
from tests.server.conftest import Visit, visit


def test_answers_and_page_lie_beside_each_other(ask: Visit) -> None:
    assert ask("/api/runs").json()["runs"][0]["run"] == "sample"
    assert ask("/").headers["content-type"].startswith("text/")


def test_head_has_the_headers_of_get(ask: Visit) -> None:
    head, get = ask("/api/runs", "HEAD"), ask("/api/runs")
    assert head.status_code == 200
    assert head.headers["content-length"] == get.headers["content-length"]


def test_settings_are_kept(sample: Path) -> None:
    app = make_app(Library(sample), Settings(token="t"))
    assert visit(app, "/api/runs").status_code == 403
    assert visit(app, "/t/api/runs").status_code == 200
