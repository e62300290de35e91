"""A real S3 server on loopback, moto's, with a proxy before it that makes the faults of a bad day."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

BUCKET = "traces"


@dataclass
class Faults:
    """What goes wrong with the next requests, and what was asked."""

    errors: int = 0
    """So many requests are answered by 500."""
    drops: int = 0
    """So many connections are dropped in the middle of the answer."""
    delay: float = 0.0
    """Seconds before each answer."""
    down: bool = False
    """Whether every request is answered by 503."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and range of each request."""
    given: int = 0
    """Bytes of all answers."""

    def take(self, name: str) -> bool:
        with self.lock:
            left = getattr(self, name)
            setattr(self, name, max(left - 1, 0))
            return left > 0

    def clear(self) -> None:
        self.errors, self.drops, self.delay, self.down = 0, 0, 0.0, False
        self.asked.clear()
        self.given = 0


@dataclass(frozen=True)
class Server:
    """The server as programs see it."""

    address: str
    faults: Faults

    @property
    def variables(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[Server]:
    """Starts moto's server and the proxy, with a bucket."""
    port = _free_port()
    with (folder / "moto.log").open("wb") as log:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "MOTO_S3_CUSTOM_ENDPOINTS": ""})
    try:
        _wait(port)
        faults = Faults()
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), _proxy(port, faults))
        proxy.daemon_threads = True
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        server = Server(f"http://127.0.0.1:{proxy.server_address[1]}", faults)
        _ask(port, "PUT", f"/{BUCKET}")
        _forget_clients()
        yield server
        _forget_clients()
        proxy.shutdown()
        proxy.server_close()
    finally:
        process.terminate()
        process.wait()


def _forget_clients() -> None:
    """Has this process make its clients anew: one that it has keeps to the server that it was made for."""
    from s3fs import S3FileSystem

    S3FileSystem.clear_instance_cache()


def _ask(port: int, method: str, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    connection.close()


class _Proxy(BaseHTTPRequestHandler):
    """Passes requests on to the server, and makes the faults that are due."""

    protocol_version = "HTTP/1.1"
    port: int
    faults: Faults

    def pass_on(self) -> None:
        body, faults = self._body(), self.faults
        faults.asked.append((self.command, self.path, self.headers.get("Range", "")))
        time.sleep(faults.delay)
        if faults.down or faults.take("errors"):
            self._answer(503 if faults.down else 500, [("Content-Length", "0")], b"")
            return
        status, headers, data = self._answer_of_server(body)
        faults.given += len(data)
        if faults.take("drops"):
            self._answer(status, headers, data[: len(data) // 2])
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._answer(status, headers, data)

    def _answer_of_server(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in {"transfer-encoding", "expect"}}
        connection.request(self.command, self.path, body, {**headers, "Content-Length": str(len(body))})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        kept = [(k, v) for k, v in answer.getheaders() if k.lower() not in {"connection", "transfer-encoding"}]
        if self.command != "HEAD":
            kept = [(k, v) for k, v in kept if k.lower() != "content-length"] + [("Content-Length", str(len(data)))]
        return answer.status, kept, data

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)

    def _answer(self, status: int, headers: list[tuple[str, str]], data: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = pass_on  # noqa: N815


def _proxy(port: int, faults: Faults) -> type[BaseHTTPRequestHandler]:
    return type("Proxy", (_Proxy,), {"port": port, "faults": faults})


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise TimeoutError("moto's server did not start")
