"""Putting traces in place: in the right order, again where it fails, and told where it can't be."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tensordbg.errors import TraceError
from tensordbg.remote import storage, uploading
from tensordbg.remote.storage import Storage
from tensordbg.remote.uploading import BesideProgram, Uploading
from tensordbg.trace.sealed.seal import seal_all
from tests.remote.object_storage import BUCKET, Server
from tests.trace.samples import eventful_trace


@pytest.fixture
def place(request: pytest.FixtureRequest, s3: Server) -> Storage:
    return Storage(f"s3://{BUCKET}/{request.node.name}")


def written(server: Server) -> list[str]:
    return [path.rpartition("/")[2].partition("?")[0] for method, path, _ in server.faults.asked if method == "PUT"]


def test_what_leads_to_a_file_comes_behind_it(tmp_path: Path, place: Storage, s3: Server) -> None:
    seal_all(eventful_trace(tmp_path / "one").finish())
    Uploading(tmp_path, place).put()
    names = written(s3)
    assert names[-2:] == ["trace.json", "sealed.json"]
    assert {"tensors-000000.parquet", "facts.jsonl", "sites.parquet"} <= set(names[:-2])


def test_only_what_is_new_is_put(tmp_path: Path, place: Storage, s3: Server) -> None:
    seal_all(eventful_trace(tmp_path / "one").finish())
    up = Uploading(tmp_path, place)
    up.put()
    s3.faults.clear()
    up.put()
    assert up.finish().failure == ""
    assert written(s3) == []


def test_what_was_put_together_goes(tmp_path: Path, place: Storage) -> None:
    eventful_trace(tmp_path / "one").kill()
    up = Uploading(tmp_path, place)
    up.put()
    assert {"sites.jsonl", "trace.json"} <= {each.name for each in place.entries("one")}
    seal_all(tmp_path / "one")
    assert up.finish().failure == ""
    there = {each.name for each in place.entries("one")}
    here = {each.name for each in (tmp_path / "one").iterdir() if each.is_file()}
    assert there == here
    assert "sites.jsonl" not in there


def test_a_manifest_is_put_as_it_was_when_its_parts_were(
    tmp_path: Path, place: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replaced by the sealing at any moment, and then names parts that are not in place."""
    seal_all(eventful_trace(tmp_path / "one").finish())
    before = (tmp_path / "one" / "sealed.json").read_bytes()
    whole = Storage.put

    def put_and_seal(self: Storage, name: str, file: Path) -> None:
        whole(self, name, file)
        (tmp_path / "one" / "sealed.json").write_bytes(before.replace(b"tensors-000000", b"tensors-999999"))

    monkeypatch.setattr(Storage, "put", put_and_seal)
    Uploading(tmp_path, place).put()
    assert place.read("one/sealed.json") == before


def test_a_part_that_was_put_together_meanwhile_is_left_for_the_next_round(tmp_path: Path, place: Storage) -> None:
    seal_all(eventful_trace(tmp_path / "one").finish())
    (tmp_path / "one" / "tensors-000000.parquet").rename(tmp_path / "aside")
    up = Uploading(tmp_path, place)
    up.put()
    assert "sealed.json" not in {each.name for each in place.entries("one")}
    (tmp_path / "aside").rename(tmp_path / "one" / "tensors-000000.parquet")
    up.put()
    assert "sealed.json" in {each.name for each in place.entries("one")}


def test_errors_are_tried_again(tmp_path: Path, place: Storage, s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "BREATH", 0.1)
    seal_all(eventful_trace(tmp_path / "one").finish())
    s3.faults.errors, s3.faults.drops = 4, 3
    assert Uploading(tmp_path, place).finish().failure == ""
    assert {each.name for each in place.entries("one")} == {
        each.name for each in (tmp_path / "one").iterdir() if each.is_file()
    }


def test_what_can_not_be_put_is_told(
    tmp_path: Path, place: Storage, s3: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "BREATH", 0.0)
    monkeypatch.setattr(uploading, "ROUNDS", 2)
    monkeypatch.setattr(storage, "PAUSES", ())
    seal_all(eventful_trace(tmp_path / "one").finish())
    s3.faults.down = True
    failure = Uploading(tmp_path, place).finish().failure
    assert f"{place.address}: object storage refuses" in failure
    s3.faults.down = False
    assert Uploading(tmp_path, place).finish().failure == ""


def test_what_can_not_be_put_is_not_tried_for_ever(
    tmp_path: Path, place: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "PATIENCE", 0.0)
    asked: list[str] = []

    def refuse(name: str, file: Path) -> None:
        asked.append(file.parent.name)
        raise TraceError("gone")

    monkeypatch.setattr(place, "put", refuse)
    for name in ("one", "two"):
        seal_all(eventful_trace(tmp_path / name).finish())
    assert Uploading(tmp_path, place).finish().failure == "gone"
    assert set(asked) == {"one"}


def test_a_trace_that_is_damaged_hinders_no_other(
    tmp_path: Path, place: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "ROUNDS", 1)
    for name in ("one", "two"):
        seal_all(eventful_trace(tmp_path / name).finish())
    (tmp_path / "one" / "sealed.json").write_text("{")
    assert "one/sealed.json: can't be read" in Uploading(tmp_path, place).finish().failure
    assert "sealed.json" in {each.name for each in place.entries("two")}


def test_beside_a_program(tmp_path: Path, place: Storage, s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "INTERVAL", 0.05)
    monkeypatch.setattr(storage, "PAUSES", ())
    s3.faults.errors = 3
    with BesideProgram(Uploading(tmp_path, place)):
        seal_all(eventful_trace(tmp_path / "one").finish())
        end = time.monotonic() + 60
        while not any(each.name == "sealed.json" for each in place.entries("one")):
            assert time.monotonic() < end
            time.sleep(0.1)
    assert [each.name for each in tmp_path.iterdir()] == ["one"]
