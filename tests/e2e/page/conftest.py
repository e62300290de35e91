"""What the tests of the page share: the browser, traces of real programs, and servers that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.page.chromium import ARGUMENTS, PATIENCE, find_chromium, watched_page
from tests.e2e.page.recorded import (
    record_decided,
    record_digits,
    record_failed,
    record_scopes,
    record_two_troubles,
    shared,
)
from tests.e2e.page.serving import Served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser; ask for `page` unless you need a page of your own.

    Its driver has an event loop in this thread, so it must be gone when other tests run one of theirs.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def problems() -> list[str]:
    """What went wrong in the page: faults, errors on its console, what its policy forbids.

    There must be none at the end of a test; one that has the server refuse something clears the list.
    """
    return []


@pytest.fixture
def page(browser: Any, problems: list[str]) -> Iterator[Any]:
    """A page in the browser, empty at first."""
    with watched_page(browser, problems) as page:
        yield page
    assert problems == []


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """`serve(trace, *options)` starts `tdbg view` and gives the link; the same trace is served once."""
    running: dict[tuple[Any, ...], Served] = {}

    def start(trace: Path, *options: str) -> str:
        key = (trace, *options)
        if key not in running:
            running[key] = Served(trace, *options)
        return running[key].link

    yield start
    codes = [served.stop() for served in running.values()]
    assert codes == [0] * len(codes)


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the trace of `examples/digits_nan.py`: a logarithm of zero in step 3; elements were kept."""
    return shared(tmp_path_factory, "digits", record_digits)


@pytest.fixture(scope="session")
def digits_link(digits: Path, serve: Callable[..., str]) -> str:
    """The page that shows it."""
    return serve(digits)


@pytest.fixture(scope="session")
def two_troubles_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of a program with two findings: `Log` made -inf, `Sqrt` made NaN."""
    return serve(shared(tmp_path_factory, "two-troubles", record_two_troubles))


@pytest.fixture(scope="session")
def scopes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the trace of a program with name scopes, layers and a loop; NaN begins in `encoder/second`."""
    return shared(tmp_path_factory, "scopes", record_scopes)


@pytest.fixture(scope="session")
def scopes_link(scopes: Path, serve: Callable[..., str]) -> str:
    """The page that shows it."""
    return serve(scopes)


@pytest.fixture(scope="session")
def failed_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of a program that was ended by the error of an operation."""
    return serve(shared(tmp_path_factory, "failed", record_failed))


@pytest.fixture(scope="session")
def decided_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of a program in which a NaN decided which branch ran."""
    return serve(shared(tmp_path_factory, "decided", record_decided))
