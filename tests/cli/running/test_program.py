from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensordbg.cli.running.program import Program
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.launch import parse
from tensordbg.recording.plan import Plan
from tensordbg.recording.value_filter import ValueFilter


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").touch()
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "__main__.py").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_command_of_a_script() -> None:
    program = Program.script("train.py", ("--epochs", "3"))
    plan = Plan(Detail.SHAPES)
    assert program.name == "train"
    assert program.command(Path("t"), plan) == [
        *(sys.executable, "-m", "tensordbg.recording.launch", "t", plan.to_json(), "train.py", "--epochs", "3")
    ]


def test_the_launcher_reads_the_command() -> None:
    values = ValueFilter(name="^dense", op_types=("MatMul", "Add"), steps=(3, None), budget=7)
    plan = Plan(Detail.VALUES, values, last=1000, every=5, graphs=True)
    words = Program.module("package.train", ("--every", "3", "-m", "mine")).command(Path("t"), plan)[3:]
    launch = parse(words)
    assert (launch.plan, launch.trace) == (plan, Path("t"))
    assert (launch.module, launch.arguments) == ("package.train", ("--every", "3", "-m", "mine"))


def test_command_of_a_module() -> None:
    program = Program.module("package.train", ("--epochs", "3"))
    assert program.name == "package.train"
    assert program.command(Path("t"), Plan(Detail.HEALTH))[-4:] == ["-m", "package.train", "--epochs", "3"]


def test_folder_with_main_is_a_script() -> None:
    assert Program.script("package", ()).name == "package"


def test_missing_script_and_one_of_a_like_name() -> None:
    with pytest.raises(UsageError) as caught:
        Program.script("trian.py", ())
    assert str(caught.value) == (
        "no such file 'trian.py'; did you mean 'train.py'? `tdbg run` takes a Python program and its arguments"
    )


def test_missing_module() -> None:
    with pytest.raises(UsageError) as caught:
        Program.module("nowhere.train", ())
    assert str(caught.value) == (
        f"no module named 'nowhere.train' in this folder or in {sys.executable}; "
        "install it, or change to the folder that holds it"
    )


def test_looking_for_a_module_leaves_the_path_alone() -> None:
    before = sys.path[:]
    Program.module("package", ())
    assert sys.path == before
