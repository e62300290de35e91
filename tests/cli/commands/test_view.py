from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import COMMAND, Tdbg, error_of


@contextmanager
def viewing(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs `tdbg view` until it has printed its one line, and gives that."""
    process = subprocess.Popen(
        [*COMMAND, "view", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def link_in(line: str) -> str:
    return re.findall(r"http://\S+", line)[0]


def test_prints_one_line_serves_and_ends_with_ctrl_c(sample: Path) -> None:
    with viewing(sample.parents[1], "--no-browser") as (process, line):
        assert re.fullmatch(r"tdbg-traces: http://127\.0\.0\.1:\d+/[\w-]{43}/ \(Ctrl-C ends this\)\n", line)
        listed = httpx.get(f"{link_in(line)}api/runs").json()
        assert [run["run"] for run in listed["runs"]] == ["sample"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


def test_trace_of_its_own(sample: Path) -> None:
    with viewing(sample.parent, "sample", "--no-browser") as (_, line):
        assert httpx.get(f"{link_in(line)}api/events?run=sample&count=2").json()["total"] == 12


def test_opens_the_browser(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nexec >/dev/null 2>&1\necho "$1" > {opened}.new\nmv {opened}.new {opened}\nsleep 10\n'
    )
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with viewing(sample.parents[1]) as (process, line):
        link = link_in(line)
        assert httpx.get(f"{link}api/runs").status_code == 200
        while not opened.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert opened.read_text() == f"{link}\n"


def test_other_machines_need_the_token_in_the_link(sample: Path) -> None:
    with viewing(sample.parents[1], "--host", "127.0.0.1", "--no-browser") as (_, line):
        link = link_in(line)
        address, token, _ = link.rsplit("/", 2)
        assert len(token) > 30
        assert httpx.get(f"{address}/api/runs").status_code == 403
        assert httpx.get(f"{link}api/runs").status_code == 200


def test_editor(sample: Path) -> None:
    with viewing(sample.parents[1], "--no-browser", "--editor", "vscode://file/{file}:{line}") as (_, line):
        overview = httpx.get(f"{link_in(line)}api/overview").json()
    assert overview["editor"] == "vscode://file/{file}:{line}"


def test_port_that_is_taken(tdbg: Tdbg, sample: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = tdbg("view", str(sample), "--no-browser", "--port", str(port))
    assert error_of(said) == (
        f"--port {port}: is taken by another program; choose another, or leave it out for one that is free"
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "does not exist; give a trace, or a folder of traces as `tdbg run` makes it"),
        (lambda path: path.mkdir(), "holds no trace; record one with `tdbg run`, or give the folder of another"),
        (lambda path: path.touch(), "is a file, but a trace is a folder; give a trace, or a folder of traces as "),
    ],
)
def test_nothing_to_show(tdbg: Tdbg, folder: Path, make: Callable[[Path], None], sentence: str) -> None:
    make(folder / "here")
    assert error_of(tdbg("view", "here")).startswith(f"here: {sentence}")


@pytest.mark.parametrize("template", ["code", "javascript:alert('{file}')", "vscode://file/{line}"])
def test_editor_that_is_no_link(tdbg: Tdbg, sample: Path, template: str) -> None:
    assert error_of(tdbg("view", str(sample), "--editor", template)) == (
        f"invalid value for '--editor': {template!r} is no link with {{file}} in it, such as "
        "'vscode://file/{file}:{line}'; `tdbg view --help` shows the usage"
    )
