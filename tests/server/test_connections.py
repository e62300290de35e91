from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tensordbg.server import connections
from tensordbg.server.serving import Address, Server
from tests.server.test_serving import serving


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.3)


@pytest.fixture
def link(sample: Path) -> Iterator[str]:
    with serving(Server(sample, Address())) as link:
        yield link


def connect(link: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(link).port or 0), timeout=20)


def whole_question(link: str) -> bytes:
    parts = urlsplit(link)
    return f"GET {parts.path}api/runs HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_a_question_that_is_never_whole(impatient: None, link: str, said: bytes) -> None:
    with connect(link) as slow:
        slow.sendall(said)
        assert slow.recv(100) == b""


def test_a_later_question_that_trickles(impatient: None, link: str) -> None:
    with connect(link) as slow:
        slow.sendall(whole_question(link))
        assert slow.recv(100_000).startswith(b"HTTP/1.1 200")
        with pytest.raises(OSError):  # noqa: PT011, PT012 - whichever comes first: the reset or the broken pipe
            for byte in whole_question(link) * 100:
                slow.sendall(bytes([byte]))
                time.sleep(0.05)


def test_an_answer_takes_as_long_as_it_does(impatient: None, link: str) -> None:
    revision = httpx.get(f"{link}api/live").json()["revision"]
    answer = httpx.get(f"{link}api/live?revision={revision}&wait=2", timeout=20)
    assert answer.status_code == 200


def test_more_connections_than_are_kept(monkeypatch: pytest.MonkeyPatch, link: str) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    kept = [connect(link) for _ in range(8)]
    for each in kept:
        each.sendall(whole_question(link))
        assert each.recv(100_000).startswith(b"HTTP/1.1 200")
    with connect(link) as refused:
        assert refused.recv(100) == b""
    for each in kept:
        each.close()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with connect(link) as again:
            again.sendall(whole_question(link))
            if again.recv(100_000):
                return
    pytest.fail("no connection was taken after others had gone")


FEW = 48


def test_descriptors_that_run_out_are_one_line(sample: Path) -> None:
    script = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({FEW}, {FEW}))\n"
        "from tensordbg.server import connections\n"
        "connections.most_connections = lambda: 1000\n"
        "from tensordbg.server.serving import Address, Server\n"
        "server = Server(sys.argv[1], Address())\n"
        "print(server.link, flush=True)\n"
        "server.run()\n"
    )
    command = [sys.executable, "-c", script, str(sample)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        many = [connect(link) for _ in range(2 * FEW)]
        time.sleep(2)
        for each in many:
            each.close()
        answer = None
        until = time.monotonic() + 60
        while answer is None and time.monotonic() < until:
            try:
                answer = httpx.get(f"{link}api/runs", timeout=5)
            except httpx.HTTPError:
                time.sleep(0.2)
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert answer is not None and answer.status_code == 200
    assert said == f"tdbg: warning: {connections.ADVICE}\n"


def test_a_question_that_breaks_off_while_it_is_answered_is_no_traceback(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, link: str
) -> None:
    broken = whole_question(link).replace(b"GET", b"POST")[:-2] + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n"
    with connect(link) as other:
        other.sendall(broken)
        while other.recv(100_000):
            pass
    assert httpx.get(f"{link}api/runs").status_code == 200
    assert capfd.readouterr().err == ""
    assert "Traceback" not in caplog.text


def test_a_question_that_breaks_off_behind_its_answer_is_no_traceback(
    caplog: pytest.LogCaptureFixture, link: str
) -> None:
    begun = whole_question(link).replace(b"GET", b"POST")[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
    with connect(link) as other:
        other.sendall(begun)
        answer = b""
        while not answer.endswith(b"}"):
            answer += other.recv(100_000)
        other.sendall(b"-1\r\n")
        assert other.recv(100) == b""
    assert answer.startswith(b"HTTP/1.1 405")
    assert caplog.text == ""
