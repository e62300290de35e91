from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.remote.object_storage import Server, s3_server


@pytest.fixture(scope="session")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def s3(running_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """An S3 server that this process is told of, without a fault so far."""
    for name, value in running_server.variables.items():
        monkeypatch.setenv(name, value)
    running_server.faults.clear()
    return running_server
