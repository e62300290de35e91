"""Visits the server with questions that no browser asks: bytes with anything in the place of anything.

They are given to the protocol itself, without a socket, in pieces as a network has them.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import uvicorn
from uvicorn.server import ServerState

from tensordbg.server.app import make_app
from tensordbg.server.connections import BoundedProtocol
from tensordbg.server.library import Library
from tensordbg.server.settings import Settings, local_hosts

TOKEN = "ToKeN-of-this_Server"
PORT = 8000
_ANSWERS = frozenset({200, 206, 304, 307, 400, 403, 404, 405, 416})
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")

_PLACES = (
    "",
    "/",
    "/api/runs",
    "/api/overview",
    "/api/events/1",
    "/api/openapi.json",
    "/index.html",
    "/assets/",
    "/api",
)
_ODD_PLACES = (
    *("/../../../../etc/passwd", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%00", "/\xff\xfe", "/%ED%A0%80", "/%"),
    *("/..%2f..%2fsettings.py", "/api/events/99999999999999999999", "/api/values/-1", "/api/tensor?tensor=%00"),
    *("/api/events?search=" + "(" * 3000, "/" + "a/" * 2000, "/" + "x" * 70_000, "?token=" + TOKEN, ";x=1", "#part"),
)
_TOKENS = (
    TOKEN[:-1],
    f"{TOKEN}x",
    TOKEN.lower(),
    "",
    f"/{TOKEN}",
    "%2F" + TOKEN,
    f"./{TOKEN}",
    "x/" + TOKEN,
    "\xff",
    "..",
)
_METHODS = ("GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "get", "BREW", "", "G" * 5000, "GET\0")
_HOSTS = (f"localhost:{PORT}", f"127.0.0.1:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}")
_ODD_HOSTS = (
    "evil.example",
    "",
    "localhost",
    f"localhost:{PORT}.evil.example",
    "a" * 70_000,
    "\xff",
    f"localhost:{PORT},x",
)
_HEADERS = (
    *(
        f"cookie: tensordbg-8000={TOKEN}",
        f"cookie: token={TOKEN}; a=b",
        "cookie: =;=;;;\xff",
        "cookie: " + "a=b; " * 3000,
    ),
    *(f"authorization: Bearer {TOKEN}", "authorization: Basic \xff", "origin: http://evil.example", "x: \xff\xfe"),
    *("range: bytes=0-", "range: bytes=-5", "range: bytes=9-2", "range: bytes=99999999999999999999-", "range: items=1"),
    *("range: bytes=" + ",".join(f"{k}-{k}" for k in range(2000)), 'if-none-match: "x"', "if-none-match: *"),
    *(
        "if-modified-since: yesterday",
        "if-range: \xff",
        "content-length: 5",
        "content-length: -1",
        "content-length: 9e9",
    ),
    *("transfer-encoding: chunked", "transfer-encoding: gzip, chunked", "upgrade: websocket", "upgrade: h2c"),
    *("connection: close", "connection: upgrade", "expect: 100-continue", "accept-encoding: gzip;q=\xff", "host: x"),
    *(" folded", "no colon", ": nothing", "a b: c", "x: " + "y" * 70_000),
)


class WrongAnswerError(Exception):
    """The server answered what it must not, or failed."""


def visit(folder: Path, chance: random.Random) -> str:
    """Asks about what lies beside a folder; gives what, in words.

    Raises:
        WrongAnswerError: If somebody was let in who must not be, or the server failed.
    """
    asked = b"".join(_question(chance) for _ in range(chance.choice([1, 1, 1, 2])))
    if chance.random() < 0.2:
        at = chance.randrange(len(asked))
        asked = asked[:at] + bytes([chance.randrange(256)]) + asked[at + chance.choice([0, 1, 20]) :]
    ends = sorted(chance.randrange(len(asked)) for _ in range(chance.choice([0, 0, 1, 5])))
    pieces = [asked[begin:end] for begin, end in zip([0, *ends], [*ends, len(asked)], strict=True)]
    settings = Settings(local_hosts(PORT) if chance.random() < 0.7 else None, token=TOKEN)
    answers, failures = asyncio.run(_converse(make_app(Library(folder.parent), settings), pieces))
    _judge(asked, answers, failures)
    return f"asked {asked[:300]!r}"


def _judge(asked: bytes, answers: bytes, failures: list[str]) -> None:
    said = [int(status) for status in _STATUS.findall(answers)]
    if failures or not set(said) <= _ANSWERS:
        raise WrongAnswerError(f"{asked[:500]!r}: {said} {failures}")
    if f"/{TOKEN}".encode() not in unquote_to_bytes(asked) and set(said) & {200, 206, 304, 307}:
        raise WrongAnswerError(f"{asked[:500]!r} was let in: {said}")
    if TOKEN.encode() in answers and TOKEN.encode() not in unquote_to_bytes(asked):
        raise WrongAnswerError(f"{asked[:500]!r} was told the token")


def _question(chance: random.Random) -> bytes:
    token = TOKEN if chance.random() < 0.7 else chance.choice(_TOKENS)
    place = chance.choice(_PLACES if chance.random() < 0.6 else _ODD_PLACES)
    method = "GET" if chance.random() < 0.7 else chance.choice(_METHODS)
    version = "1.1" if chance.random() < 0.9 else chance.choice(["1.0", "2.0", "9.9", "x", ""])
    hosts = [
        chance.choice(_HOSTS if chance.random() < 0.8 else _ODD_HOSTS) for _ in range(chance.choice([0, 1, 1, 1, 2]))
    ]
    headers = [f"host: {host}" for host in hosts] + chance.sample(_HEADERS, chance.choice([0, 0, 1, 3]))
    end = "\r\n" if chance.random() < 0.9 else chance.choice(["\n", "\r", "\r\n\r\n", "\0"])
    body = chance.choice(["", "", "", "hello", "5\r\nhello\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "-1\r\n"])
    return end.join([f"{method} /{token}{place} HTTP/{version}", *headers, "", body]).encode("latin-1")


class _Line(asyncio.Transport):
    """What stands for the socket: keeps what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 50000), "sockname": ("127.0.0.1", PORT)})
        self.written = bytearray()
        self._closing = False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    def pause_reading(self) -> None:
        """Nothing is read."""

    def resume_reading(self) -> None:
        """Nothing is read."""


class _Failures(logging.Handler):
    """Keeps what the server says of exceptions."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record)[-1500:])


async def _converse(app: Any, pieces: list[bytes]) -> tuple[bytes, list[str]]:
    """What is answered on one connection, and what went wrong."""
    failures, log = _Failures(), logging.getLogger("uvicorn.error")
    log.addHandler(failures)
    log.propagate = False
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.said.append(str(context)))
    try:
        config = uvicorn.Config(app, http=BoundedProtocol, ws="none", lifespan="off", log_config=None, access_log=False)
        config.load()
        protocol = BoundedProtocol(config=config, server_state=ServerState(), app_state={})
        line = _Line()
        protocol.connection_made(line)
        for piece in pieces:
            if piece and not line.is_closing():
                protocol.data_received(piece)
                await asyncio.sleep(0)
        for _ in range(3):
            await _settled()
        protocol.connection_lost(None)
        await _settled()
    finally:
        log.removeHandler(failures)
    return bytes(line.written), failures.said


async def _settled() -> None:
    """Waits until no task runs; one that waits for more of a question that is not whole is let be."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        await asyncio.wait(tasks, timeout=2)
