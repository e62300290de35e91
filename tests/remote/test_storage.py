"""A place in object storage, on a real S3 server with the faults of a bad day, and on fsspec's own memory."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path
from typing import Any

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.remote import storage
from tensordbg.remote.storage import Entry, Storage, hush_lost_connections
from tests.remote.object_storage import BUCKET, Server

CONTENT = bytes(range(256)) * 4096


@pytest.fixture(params=["s3", "memory"])
def place(request: pytest.FixtureRequest, s3: Server) -> Storage:
    address = f"s3://{BUCKET}/{request.node.name}" if request.param == "s3" else f"memory://{request.node.name}"
    return Storage(address)


def test_what_is_written_is_read(place: Storage, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(CONTENT)
    place.write("a/small", b"text")
    place.put("a/big", tmp_path / "big")
    place.write("top", b"")
    assert place.read("a/small") == b"text"
    assert place.size("a/big") == len(CONTENT)
    assert place.read_spans("a/big", [(0, 3), (100_000, 200_000)]) == [CONTENT[:3], CONTENT[100_000:200_000]]
    assert place.read_several(["a/small", "a/none", "top"]) == {"a/small": b"text", "top": b""}
    assert sorted(place.entries("a"), key=lambda each: each.name) == [
        Entry("big", False, len(CONTENT)),
        Entry("small", False, 4),
    ]
    assert {(each.name, each.folder) for each in place.entries()} == {("a", True), ("top", False)}
    place.delete("a/small")
    place.delete("a/small")
    assert [each.name for each in place.entries("a")] == ["big"]


def test_what_is_not_there(place: Storage, tmp_path: Path) -> None:
    assert place.entries() == []
    assert place.read_several([]) == {}
    for ask in (lambda: place.read("none"), lambda: place.size("none"), lambda: place.put("x", tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            ask()


def test_errors_of_the_server_and_dropped_connections_pass(s3: Server) -> None:
    place = Storage(f"s3://{BUCKET}/stumbling")
    place.write("file", CONTENT)
    s3.faults.errors = 3
    assert place.read("file") == CONTENT
    assert s3.faults.errors == 0
    s3.faults.drops = 2
    assert place.read_spans("file", [(5, 70_000)]) == [CONTENT[5:70_000]]
    assert s3.faults.drops == 0
    s3.faults.errors = 2
    place.write("other", b"x")
    assert place.read("other") == b"x"


def test_a_slow_server_is_waited_for(s3: Server) -> None:
    place = Storage(f"s3://{BUCKET}/slow")
    place.write("file", CONTENT)
    s3.faults.delay = 1.0
    began = time.monotonic()
    spans = [(k * 100_000, k * 100_000 + 10) for k in range(8)]
    assert place.read_spans("file", spans) == [CONTENT[begin:end] for begin, end in spans]
    assert time.monotonic() - began < 6, "they are asked for side by side"


def test_a_server_that_stays_down_is_told_of(s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PAUSES", (0.0,))
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    place = Storage(f"s3://{BUCKET}/down")
    s3.faults.down = True
    with pytest.raises(TraceError, match=rf"s3://{BUCKET}/down: object storage refuses \(.*\); see whether it can be"):
        place.read("file")


def test_missing_credentials_are_told_of_at_once(s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    place = Storage(f"s3://{BUCKET}/nobody")
    began = time.monotonic()
    with pytest.raises(TraceError, match=r"NoCredentialsError: Unable to locate credentials.*give it credentials"):
        place.read("file")
    assert time.monotonic() - began < 10
    s3fs.S3FileSystem.clear_instance_cache()


def test_a_bucket_that_is_not_there(s3: Server) -> None:
    with pytest.raises(TraceError, match="s3://nobody-has-this/run: there is no such bucket; make it"):
        Storage("s3://nobody-has-this/run").write("file", b"")


def test_addresses_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="xyz://a/b: Protocol not known: xyz; give a folder, or an address such as s3"):
        Storage("xyz://a/b")


def test_a_library_that_is_missing() -> None:
    with pytest.raises(UsageError, match=r"gs://a/b: .*gcsfs.*`pip install gcsfs` brings it"):
        Storage("gs://a/b")


def test_what_a_library_asked_for_long_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE", 0.0)
    place, asked = Storage("memory://patience"), []

    def gone(path: str, **_: object) -> object:
        asked.append(path)
        raise OSError("gone")

    monkeypatch.setattr(place._system, "info", gone)
    with pytest.raises(TraceError, match="object storage refuses"):
        place.size("a")
    assert len(asked) == 1


def test_connections_that_are_lost_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(error: Exception) -> None:
        raise error

    async def forget(error: Exception) -> None:
        task = asyncio.ensure_future(fail(error))
        await asyncio.sleep(0.01)
        del task
        gc.collect()

    loop = asyncio.new_event_loop()
    printed: list[dict[str, Any]] = []
    monkeypatch.setattr(loop, "default_exception_handler", printed.append)
    hush_lost_connections(loop)
    loop.run_until_complete(forget(ConnectionResetError("Cannot write to closing transport")))
    loop.run_until_complete(forget(ValueError("else")))
    loop.close()
    assert [str(each["exception"]) for each in printed] == ["else"]
