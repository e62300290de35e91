from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.remote import uploading
from tensordbg.remote.storage import Storage
from tests.cli.conftest import Invoke


def test_traces_are_put_and_read_there(invoke: Invoke) -> None:
    said = invoke("upload", "tdbg-traces", "memory://uploaded")
    assert said.code == 0
    assert "files are in memory://uploaded; `tdbg why memory://uploaded` reads them there" in said.err
    for words in (["why"], ["ls", "--non-finite"], ["sql", "select count(*) as n from events"], ["functions"]):
        command, *rest = words
        there, here = invoke(command, "memory://uploaded", *rest), invoke(command, "tdbg-traces", *rest)
        assert (there.code, there.out) == (here.code, here.out)
        assert there.out
    assert Path("tdbg-traces").is_dir(), "nothing is deleted here"


def test_mistakes(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "elsewhere: is no address of object storage" in invoke("upload", "tdbg-traces", "elsewhere").err
    assert "lies in object storage already" in invoke("upload", "memory://uploaded", "memory://b").err
    assert "nowhere: does not exist" in invoke("upload", "nowhere", "memory://b").err
    assert "only runs on this machine are deleted" in invoke("prune", "memory://uploaded", "--older-than", "1d").err
    assert "--trace memory://b is no folder of this machine" in invoke("run", "--trace", "memory://b", "-m", "this").err


def test_what_can_not_be_put_is_one_line(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "ROUNDS", 1)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "not yours", "x")

    monkeypatch.setattr(Storage, "put", refuse)
    said = invoke("upload", "tdbg-traces", "memory://refused")
    assert said.code == 2
    assert said.err == "tdbg: error: x: not yours; nothing is lost, give the same command again\n"
