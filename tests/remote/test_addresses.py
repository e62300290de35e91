from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.remote.addresses import address_of, protocol_of


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("s3://bucket/run", "s3://bucket/run"),
        ("s3://bucket/run/", "s3://bucket/run"),
        (Path("s3://bucket/run"), "s3://bucket/run"),  # which has one slash
        ("memory://run", "memory://run"),
        ("simplecache::s3://bucket/run", "simplecache::s3://bucket/run"),
        ("tdbg-traces", None),
        ("/tmp/run", None),
        ("c:/run", None),
        ("file:///tmp/run", None),
        ("a:b", None),
        ("", None),
    ],
)
def test_addresses_are_told_from_folders(path: str | Path, address: str | None) -> None:
    assert address_of(path) == address


def test_a_folder_that_is_there_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    assert address_of("s3:/bucket") is None


def test_protocol() -> None:
    assert protocol_of("gs://bucket/run") == "gs"
    assert protocol_of("simplecache::s3://bucket/run") == "simplecache"
