from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.server.serving import Address, Server


@contextmanager
def serving(server: Server) -> Iterator[str]:
    """Runs the server in a thread, which has no signals, and ends it."""
    running = threading.Thread(target=server.run)
    running.start()
    try:
        yield server.link
    finally:
        server.stop()
        running.join(20)
        assert not running.is_alive()


def test_this_machine_alone_on_a_free_port(sample: Path) -> None:
    with serving(Server(sample.parent, Address())) as link:
        parts = urlsplit(link)
        assert parts.hostname == "127.0.0.1"
        assert parts.port not in {None, 0}
        assert httpx.get(f"{link}api/runs").json()["runs"][0]["run"] == "sample"
        assert httpx.get(f"{link}api/runs", headers={"host": "evil.example"}).status_code == 400
        assert httpx.get(f"{link}api/nothing").status_code == 404
        assert httpx.post(f"{link}api/runs").status_code == 405
        assert "server" not in httpx.get(link).headers


def test_other_users_of_this_machine_need_the_token(sample: Path) -> None:
    with serving(Server(sample, Address())) as link:
        place, token, rest = link.rsplit("/", 2)
        assert (len(token) > 30, rest) == (True, "")
        for strange in ("", "api/runs", f"{token[:-1]}/api/runs", f"/{token}/api/runs"):
            assert httpx.get(f"{place}/{strange}").status_code == 403
        assert httpx.get(f"{place}/{token}", follow_redirects=True).url == link
        assert httpx.get(f"{place}/{token}/api/runs").status_code == 200


def test_head_without_a_body(sample: Path) -> None:
    with serving(Server(sample, Address())) as link:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(link).port)
        for _ in range(2):  # a body would stand before the second response
            connection.request("HEAD", f"{urlsplit(link).path}api/runs")
            response = connection.getresponse()
            assert response.status == 200
            assert response.read() == b""
        connection.close()


@pytest.mark.parametrize("path", ["/../../settings.py", "/..%2f..%2fsettings.py", "/%2e%2e/%2e%2e/etc/passwd"])
def test_raw_paths_that_lead_out(sample: Path, path: str) -> None:
    with serving(Server(sample, Address())) as link:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(link).port)
        connection.request("GET", f"{urlsplit(link).path.rstrip('/')}{path}")
        assert connection.getresponse().status == 404
        connection.close()


def test_other_machines_need_the_token(sample: Path) -> None:
    with serving(Server(sample, Address("127.0.0.1"))) as link:
        bare, token, _ = link.rsplit("/", 2)
        assert httpx.get(f"{bare}/").status_code == 403
        assert httpx.get(link).status_code == 200
        assert httpx.get(f"{link}api/runs").status_code == 200
        other = Server(sample, Address("127.0.0.1"))
        assert token not in other.link
        other.close()


def test_those_who_wait_are_let_go_at_the_end(sample: Path) -> None:
    answered: list[int] = []
    server = Server(sample, Address())
    with serving(server) as link:
        revision = httpx.get(f"{link}api/live").json()["revision"]

        def wait() -> None:
            # The answer may not get through any more.
            with contextlib.suppress(httpx.TransportError):
                answer = httpx.get(f"{link}api/live?revision={revision}&wait=25", timeout=60)
                answered.append(answer.status_code)

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert httpx.get(f"{link}api/runs").status_code == 200
    waiting.join()
    assert answered in ([200], [])


def test_port_that_is_taken(sample: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError) as raised:
            Server(sample, Address(port=port))
    assert str(raised.value) == (
        f"--port {port}: is taken by another program; choose another, or leave it out for one that is free"
    )


@pytest.mark.parametrize("host", ["no.such.name.invalid", "192.0.2.1"])
def test_host_that_is_not_ours(sample: Path, host: str) -> None:
    with pytest.raises(UsageError) as raised:
        Server(sample, Address(host))
    assert str(raised.value) == (f"--host {host}: is no address of this machine; give one that is, or 0.0.0.0 for all")


def test_link_for_all_addresses_has_the_name_of_the_machine(sample: Path) -> None:
    server = Server(sample, Address("0.0.0.0"))
    assert server.link.startswith(f"http://{socket.gethostname()}:")
    server.close()


def test_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="holds no trace"):
        Server(tmp_path, Address())
