"""The page and the table in real notebooks: run by a real kernel, as Jupyter does."""

from __future__ import annotations

import html
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import tensordbg
from tensordbg import notebook
from tensordbg.report.saved_page import page
from tests import programs

PAGE = '<title>tensordbg</title><script type="application/json" id="saved-answers">{answers}</script>'


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a notebook on one's own machine."""
    for name in notebook._ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(notebook, "_CONTAINERS", ())


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page of one line."""
    (tmp_path / "saved.html").write_text(PAGE)
    monkeypatch.setattr(page, "BUNDLE", tmp_path / "saved.html")


@pytest.fixture(autouse=True)
def servers() -> Iterator[None]:
    yield
    for server in notebook._servers.values():
        server.stop()
    notebook._servers.clear()


def outputs_of(*cells: str) -> list[dict[str, Any]]:
    """What each cell gives, by type."""
    made = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    NotebookClient(made, timeout=120, kernel_name="python3").execute()
    nbformat.validate(made)
    return [dict(cell.outputs[-1].data) if cell.outputs else {} for cell in made.cells]


def test_in_a_real_notebook(sample: Path) -> None:
    folder, trace, shown, saved, read = outputs_of(
        f"import tensordbg\npath = {str(sample)!r}",
        "trace = tensordbg.open(path)\ntrace",
        "shown = tensordbg.show(trace, height=500, saved=False)\nshown",
        "tensordbg.show(path, height=500, saved=False).link == shown.link",
        "import urllib.request\nurllib.request.urlopen(shown.link + 'api/findings').status",
    )
    assert folder == {}
    assert re.search(r"<td[^>]*>harmless</td><td[^>]*>Log:0</td><td[^>]*>log_of_zero</td>", trace["text/html"])
    assert trace["text/plain"] == f"Trace('{sample}')"
    link = r"http://127.0.0.1:\d+/[\w-]{43}/"
    assert re.search(rf'<iframe [^>]*height="500"[^>]* src="{link}"></iframe>', shown["text/html"])
    assert saved["text/plain"] == "True"
    assert read["text/plain"] == "200"


MARIMO = """\
import sys
import marimo
import tensordbg

trace = tensordbg.open(sys.argv[1])
print(marimo.as_html(trace).text)
print(marimo.as_html(trace.why()).text)
print(marimo.as_html(trace.why().origins[0]).text)
print(marimo.as_html(tensordbg.show(trace, saved=True)).text[:400])
"""


def test_in_marimo(sample: Path) -> None:
    if not programs.BESIDE.exists() or subprocess.run([programs.BESIDE, "-c", "import marimo"], check=False).returncode:
        pytest.skip("`make beside` sets up the environment with marimo")
    command = [programs.BESIDE, "-c", MARIMO, str(sample)]
    trace, findings = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("<pre ", 1)
    assert "harmless</td>" in trace
    assert findings.count("log_of_zero") >= 2
    assert "Origin(" not in findings
    assert '<iframe title="tensordbg"' in findings


def test_a_cell_keeps_a_copy_beside_the_server(sample: Path, here: None, built: None) -> None:
    shown = tensordbg.show(sample, height=300)
    inside = re.fullmatch(
        r'<object title="tensordbg" type="text/html" [^>]*data="([^"]*)">(<iframe .*</iframe>)</object>', shown.html
    )
    assert inside
    assert inside[1] == shown.link
    assert inside[2] == tensordbg.show(sample, height=300, saved=True).html
    assert "<object" not in tensordbg.show(sample, saved=False).html


def test_the_server_lets_notebooks_of_this_machine_show_it(sample: Path, here: None) -> None:
    shown = tensordbg.show(sample, saved=False)
    with urllib.request.urlopen(f"{shown.link}api/overview") as answer:
        policy = answer.headers["content-security-policy"]
    assert f"frame-ancestors {notebook._FRAME_ANCESTORS}" in policy


@pytest.mark.parametrize("name", ["COLAB_RELEASE_TAG", "JUPYTERHUB_SERVICE_PREFIX", "SSH_CONNECTION"])
def test_elsewhere_the_page_is_saved(
    sample: Path, here: None, built: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    shown = tensordbg.show(sample)
    assert shown.link == ""
    assert notebook._servers == {}
    inside = re.fullmatch(r'<iframe [^>]*sandbox="allow-scripts" loading="lazy" srcdoc="([^"]*)"></iframe>', shown.html)
    assert inside
    assert html.unescape(inside[1]).startswith("<title>tensordbg</title>")


def test_in_a_container_the_page_is_saved(
    sample: Path, here: None, built: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "_CONTAINERS", (sample,))
    assert tensordbg.show(sample).link == ""


def test_a_run(sample_run: Path, built: None) -> None:
    shown = tensordbg.show(tensordbg.open_run(sample_run), saved=True)
    assert "worker 1" in shown.html
    assert len(repr(shown)) < 100


def test_what_is_refused(tmp_path: Path, sample: Path) -> None:
    with pytest.raises(tensordbg.UsageError, match="height=0 is no number of pixels from 1 to 10000; leave it out"):
        tensordbg.show(sample, height=0)
    with pytest.raises(tensordbg.TraceError, match="nowhere: does not exist"):
        tensordbg.show(tmp_path / "nowhere", saved=True)
    with pytest.raises(tensordbg.TraceError, match="nowhere: does not exist"):
        tensordbg.show(tmp_path / "nowhere", saved=False)
