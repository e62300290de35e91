"""The tab in a real TensorBoard, as its pages ask for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tensorboard.plugins import base_plugin

from tensordbg.tensorboard.plugin import TensordbgPlugin
from tests.sample_run import make_sample_run
from tests.sample_trace import make_sample_trace

PLUGIN = "data/plugin/tensordbg"


@contextmanager
def tensorboard(folder: Path, log: Path) -> Iterator[httpx.Client]:
    """Runs TensorBoard over a folder, below a prefix, until the block ends, and gives what asks it."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--port", "0", "--path_prefix", "/b"]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    with log.open("w") as said:
        process = subprocess.Popen([*command, "--load_fast", "false"], stderr=said, env=environment)
    try:
        while not (link := re.search(r"http://\S+", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        with httpx.Client(base_url=link[0], timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A TensorBoard that was started before there was a trace; then come one of a single process, and one of two."""
    logs = tmp_path_factory.mktemp("logs")
    with tensorboard(logs, tmp_path_factory.mktemp("said") / "log") as client:
        assert not client.get("data/plugins_listing").json()["tensordbg"]["enabled"]
        assert client.get(f"{PLUGIN}/api/runs").json()["runs"] == []
        make_sample_run(logs / "many")
        make_sample_trace(logs / "deep" / "er" / "sample")
        while not client.get(f"{PLUGIN}/api/runs").json()["runs"]:
            time.sleep(0.1)
        yield client


def test_tab_comes_up_by_itself(board: httpx.Client) -> None:
    tab = board.get("data/plugins_listing").json()["tensordbg"]
    assert tab["enabled"]
    assert tab["tab_name"] == "tensordbg"
    assert tab["loading_mechanism"] == {"type": "IFRAME", "module_path": f"/b/{PLUGIN}/index.js"}


def test_frame_of_the_tab_goes_to_the_page(board: httpx.Client) -> None:
    entry = board.get("data/plugin_entry.html", params={"name": "tensordbg"}).text
    assert '<base href="plugin/tensordbg/" />' in entry
    module = board.get(f"{PLUGIN}/index.js")
    assert module.headers["content-type"] == "text/javascript; charset=utf-8"
    assert '"./index.html"' in module.text
    assert "content-security-policy" in board.get(f"{PLUGIN}/index.html").headers


def test_answers_of_several_runs(board: httpx.Client) -> None:
    runs = board.get(f"{PLUGIN}/api/runs").json()["runs"]
    assert [run["run"] for run in runs] == ["deep/er/sample", "many/trace-0"]
    events = board.get(f"{PLUGIN}/api/events", params={"run": "deep/er/sample", "count": 5}).json()
    assert (events["total"], len(events["rows"])) == (12, 5)
    assert board.get(f"{PLUGIN}/api/events", params={"run": "many/trace-0", "process": "worker 1"}).is_success


def test_refusals(board: httpx.Client) -> None:
    refused = board.get(f"{PLUGIN}/api/events?count=x")
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("count='x' can't be taken")
    assert board.post(f"{PLUGIN}/api/runs").status_code == 405
    assert board.get(f"{PLUGIN}/api/overview", params={"run": "../.."}).status_code == 404


def test_head_has_no_body(board: httpx.Client) -> None:
    for _ in range(2):  # a body would stand before the second response
        response = board.head(f"{PLUGIN}/api/runs")
        assert (response.status_code, response.content) == (200, b"")


def test_news_are_waited_for(board: httpx.Client) -> None:
    run = {"run": "deep/er/sample"}
    live = board.get(f"{PLUGIN}/api/live", params=run).json()
    waited = board.get(f"{PLUGIN}/api/live", params={**run, "revision": live["revision"], "wait": 0.3})
    assert waited.json() == live


def test_without_a_folder_of_logs() -> None:
    plugin = TensordbgPlugin(base_plugin.TBContext())
    assert plugin.get_plugin_apps() == {}
    assert not plugin.is_active()


def test_starting_tensorboard_loads_nothing_heavy() -> None:
    program = (
        "import sys, tensordbg.tensorboard.plugin\n"
        "print(sorted({'starlette', 'uvicorn', 'duckdb', 'pyarrow', 'tensorflow', 'a2wsgi'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert printed.stdout == "[]\n"


def test_package_is_imported_without_tensorboard() -> None:
    program = "import sys; sys.modules['tensorboard'] = None; import tensordbg.tensorboard, tensordbg.tensorboard.mount"
    subprocess.run([sys.executable, "-c", program], check=True)
