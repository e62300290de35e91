"""The user's own code is told from installed packages and the standard library."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.recording.usercode import UserCode


@pytest.mark.parametrize("file", ["<stdin>", "<string>", "<ipython-input-3-abc>", "/home/me/train.py"])
def test_what_a_user_wrote(file: str) -> None:
    assert UserCode().is_user(file)


@pytest.mark.parametrize(
    "file",
    [
        json.__file__,
        np.__file__,
        tensordbg.__file__,
        "<frozen importlib._bootstrap>",
        "<__array_function__ internals>",
    ],
)
def test_what_is_installed(file: str) -> None:
    assert not UserCode().is_user(file)


def test_code_that_autograph_made_is_not_the_users() -> None:
    assert not UserCode().is_user("/tmp/__autograph_generated_filexyz.py")


def test_code_that_inductor_made_is_not_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not UserCode().is_user("/tmp/torchinductor_me/ab/cabxyz.py")
    file = str(tmp_path / "ab" / "cabxyz.py")
    assert UserCode().is_user(file)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    assert not UserCode().is_user(file)


def test_an_installed_program_that_is_run_is_the_users() -> None:
    code = UserCode()
    folder = Path(np.__file__).parent
    code.add_root(str(folder))
    assert code.is_user(np.__file__)
    assert not code.is_user(json.__file__)


def test_an_environment_inside_of_the_project_is_not_the_users() -> None:
    code = UserCode()
    packages = sysconfig.get_paths()["purelib"]
    code.add_root(str(Path(packages).parents[3]))
    assert not code.is_user(f"{packages}/numpy/core.py")
    assert code.is_user(str(Path(packages).parents[3] / "train.py"))


def test_packages_that_were_installed_beside_the_users_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, described in (("frame_work", "top_level.txt"), ("layers", "RECORD")):
        (tmp_path / package).mkdir()
        (tmp_path / f"{package}-1.dist-info").mkdir()
        lines = f"{package}\n" if described == "top_level.txt" else f"{package}/core.py,sha256=0,1\n../bin/x,,\n"
        (tmp_path / f"{package}-1.dist-info" / described).write_text(lines)
    code = UserCode()
    code.add_root(str(tmp_path))
    assert code.is_user(str(tmp_path / "train.py"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not code.is_user(str(tmp_path / "frame_work" / "core.py"))
    assert not code.is_user(str(tmp_path / "layers" / "core.py"))
    assert code.is_user(str(tmp_path / "model" / "layers.py"))
    assert not code.is_user(np.__file__)


def test_the_program_starter_is_our_own() -> None:
    code = UserCode()
    assert code.is_own("<frozen runpy>")
    assert code.is_own(tensordbg.__file__)
    assert not code.is_own("/home/me/train.py")
