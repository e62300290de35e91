from __future__ import annotations

import socket
from pathlib import Path

from tests.cli.conftest import Invoke
from tests.trace.samples import eventful_trace


def test_a_run_that_has_ended_is_told_and_left(invoke: Invoke) -> None:
    eventful_trace(Path("runs/a")).finish()
    said = invoke("watch", "runs", "--on-finding", "echo $TDBG_KIND: $TDBG_REPORT >> told", "--report", "pages")
    assert said.code == 0
    assert said.out
    assert len(Path("told").read_text().splitlines()) == len(said.out.splitlines())


def test_addresses_are_checked(invoke: Invoke) -> None:
    assert "no address of a server" in invoke("watch", "--webhook", "file:///etc/passwd").err
    assert "no port such as 9464" in invoke("watch", "--metrics", "prometheus").err
    assert "give that, too" in invoke("watch", "--report-url", "https://here").err


def test_a_port_that_is_taken_is_said_in_one_line(invoke: Invoke) -> None:
    eventful_trace(Path("runs/a")).finish()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = invoke("watch", "runs", "--metrics", str(port))
    assert said.code == 2
    assert said.err.startswith(f"tdbg: error: --metrics 127.0.0.1:{port}: ")
