from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.console.names.files import find_file
from tensordbg.errors import UsageError

OPENED: Any = SimpleNamespace(
    program=SimpleNamespace(sources=dict.fromkeys(["/a/train.py", "/a/b/loss.py", "/c/loss.py"]))
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("/a/train.py", "/a/train.py"),
        ("train.py", "/a/train.py"),
        ("./train.py", "/a/train.py"),
        ("b/loss.py", "/a/b/loss.py"),
    ],
)
def test_the_end_of_a_path_is_enough(typed: str, found: str) -> None:
    assert find_file(OPENED, typed) == found


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("loss.py", "2 files are named 'loss.py'; choose one of /a/b/loss.py, /c/loss.py"),
        ("ain.py", r"no source file 'ain.py' is in the trace; did you mean 'train.py'\?"),
        ("xyz", "no source file 'xyz' is in the trace; `ls` lists them"),
    ],
)
def test_what_is_not_there_is_said_so(typed: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_file(OPENED, typed)


def test_names_are_only_ends_of_whole_names() -> None:
    with pytest.raises(UsageError):
        find_file(OPENED, "rain.py")
