from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tensordbg.server.headers import SafeHeaders
from tensordbg.server.page import Page, missing
from tensordbg.server.settings import Settings
from tests.server.conftest import visit


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "index-1a2b.js").write_text("1")
    (folder / "index.html").write_text('<!doctype html><meta nonce="TENSORDBG_NONCE">')
    (tmp_path / "secret.txt").write_text("secret")
    return folder


def served(bundle: Path) -> SafeHeaders:
    return SafeHeaders(Starlette(routes=[Mount("/", Page(bundle))]), Settings())


def test_folder_is_the_page(bundle: Path) -> None:
    response = visit(served(bundle), "/?run=a#event=3")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"


def test_page_knows_the_nonce_of_its_policy_and_no_other_does(bundle: Path) -> None:
    app = served(bundle)
    first, second = visit(app, "/"), visit(app, "/index.html")
    nonces = [response.text.partition('nonce="')[2].partition('"')[0] for response in (first, second)]
    assert f"style-src 'self' 'nonce-{nonces[0]}'" in first.headers["content-security-policy"]
    assert len({*nonces, "TENSORDBG_NONCE"}) == 3


def test_assets_are_kept_for_ever(bundle: Path) -> None:
    response = visit(served(bundle), "/assets/index-1a2b.js")
    assert response.text == "1"
    assert response.headers["content-type"].startswith("text/javascript")
    assert "immutable" in response.headers["cache-control"]


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt"])
def test_nothing_outside_of_the_bundle(bundle: Path, path: str) -> None:
    response = visit(served(bundle), path)
    assert response.status_code == 404
    assert "secret" not in response.text


def test_links_out_of_the_bundle_are_not_followed(bundle: Path) -> None:
    (bundle / "link.txt").symlink_to(bundle.parent / "secret.txt")
    assert visit(served(bundle), "/link.txt").status_code == 404


def test_page_that_was_not_built(tmp_path: Path) -> None:
    response = visit(served(tmp_path / "page"), "/")
    assert response.status_code == 404
    assert response.text == (
        "The page is not there, since it was not built: run `make` in the sources, or install a built package.\n"
    )
    assert visit(served(tmp_path / "page"), "/assets/x.js").status_code == 404


def test_a_page_that_was_not_built_is_told(tmp_path: Path) -> None:
    assert missing(tmp_path).startswith("tdbg: warning: The page is not there, since it was not built: run `make`")
    (tmp_path / "index.html").write_text("")
    assert missing(tmp_path) == ""
