from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensordbg.cli.program import Program, Wanted
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.launch import parse
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
    assert program.name == "train"
    assert program.command(Path("t"), Wanted(Detail.SHAPES)) == [
        *(sys.executable, "-m", "tensordbg.recording.launch", "--trace", "t", "--detail", "shapes", "--last", "0"),
        *("train.py", "--epochs", "3"),
    ]


def test_command_that_keeps_values() -> None:
    wanted = Wanted(Detail.VALUES, ValueFilter(name="^dense", op_types=("MatMul", "Add"), steps=(3, None), budget=7))
    words = Program.module("package.train", ("--values", "mine")).command(Path("t"), wanted)[3:]
    launch = parse(words)
    assert launch.plan.values == wanted.values
    assert (launch.plan.detail, launch.module, launch.arguments) == (
        Detail.VALUES,
        "package.train",
        ("--values", "mine"),
    )


def test_command_that_keeps_the_last_events() -> None:
    wanted = Wanted(Detail.OPS, last=1000)
    words = Program.script("train.py", ("--last", "3")).command(Path("t"), wanted)[3:]
    launch = parse(words)
    assert (launch.plan.last, launch.script, launch.arguments) == (1000, "train.py", ("--last", "3"))


def test_command_that_keeps_graphs() -> None:
    wanted = Wanted(Detail.VALUES, graphs=True)
    launch = parse(Program.script("train.py", ("--graphs",)).command(Path("t"), wanted)[3:])
    assert (launch.plan.graphs, launch.plan.detail, launch.arguments) == (True, Detail.VALUES, ("--graphs",))
    launch = parse(Program.script("train.py", ("--graphs",)).command(Path("t"), Wanted(Detail.OPS))[3:])
    assert (launch.plan.graphs, launch.arguments) == (False, ("--graphs",))


def test_command_of_a_module() -> None:
    program = Program.module("package.train", ("--epochs", "3"))
    assert program.name == "package.train"
    assert program.command(Path("t"), Wanted(Detail.HEALTH))[-4:] == ["-m", "package.train", "--epochs", "3"]


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
