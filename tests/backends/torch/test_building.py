from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tensordbg.backends.torch.building import BuildError, Target, build, cache_folder, library_of

TARGET = Target("2.13.0+cpu", "cf30153c4c131c81", True, Path("/nowhere/torch"))


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tensordbg" / "torch"


def test_it_is_kept_in_the_users_cache(cache: Path) -> None:
    assert cache_folder() == cache
    assert library_of(TARGET).parent.parent == cache


def test_the_name_holds_all_that_the_build_depends_on() -> None:
    others = [
        dataclasses.replace(TARGET, version="2.14.0"),
        dataclasses.replace(TARGET, git="0000000000000000"),
        dataclasses.replace(TARGET, cxx11_abi=False),
    ]
    assert len({each.name for each in (TARGET, *others)}) == 4
    assert dataclasses.replace(TARGET, folder=Path("/elsewhere")).name == TARGET.name


def test_what_is_there_is_not_built_again(cache: Path) -> None:
    library = library_of(TARGET)
    library.parent.mkdir(parents=True)
    library.write_bytes(b"built")
    assert build(TARGET) == library
    assert library.read_bytes() == b"built"


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=r"^there is no C\+\+ compiler \(c\+\+, g\+\+ or clang\+\+\), with which"):
        build(TARGET)


def test_a_compiler_that_is_no_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-compiler-here -O2")
    with pytest.raises(BuildError, match=r"^CXX=no-compiler-here -O2 is no command, with which the observer"):
        build(TARGET)


def test_missing_headers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "true")
    with pytest.raises(BuildError, match=r"^PyTorch's headers are missing in /nowhere/torch, with which the observer"):
        build(TARGET)


def test_what_the_compiler_said_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho it does not fit >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    header = tmp_path / "torch" / "include" / "ATen" / "ATen.h"
    header.parent.mkdir(parents=True)
    header.write_text("")
    target = dataclasses.replace(TARGET, folder=tmp_path / "torch")
    with pytest.raises(BuildError, match=r"could not build the observer of PyTorch 2\.13\.0\+cpu; what it said is in"):
        build(target)
    assert library_of(target).with_suffix(".errors.txt").read_text() == "it does not fit\n"
    assert not library_of(target).exists()


def test_a_place_that_cant_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(BuildError, match="the observer of PyTorch can't be kept there"):
        build(TARGET)
