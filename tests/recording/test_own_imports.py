"""What a program imports is read from its own files, and those beside it that it imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.recording.launch import LaunchedProgram
from tensordbg.recording.own_imports import own_imports


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder / (name.replace("__in__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / "main.py"


def of(script: Path) -> frozenset[str]:
    return own_imports(LaunchedProgram(None, str(script), ()))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch.nn as nn", {"torch"}),
        ("from torch.nn import functional", {"torch"}),
        ("def late():\n    import numpy, torch", {"numpy", "torch"}),
        (
            "if False:\n    import a\nelse:\n    try:\n        import b\n    except ImportError:\n        pass",
            {"a", "b"},
        ),
        ("name = 'import torch'  # import torch", set()),
        ("not python (", set()),
    ],
)
def test_imports_of_a_script(tmp_path: Path, text: str, found: set[str]) -> None:
    assert of(write(tmp_path, main=text)) == found


def test_files_beside_the_script_are_read_too(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="import model\nfrom parts import layers, losses\nimport parts.deep.er",
        model="import torch\nimport main",
        parts__in____init__="import a",
        parts__in__layers="from . import norms\nfrom .deep import other",
        parts__in__norms="import b",
        parts__in__losses="from ..parts.norms import x\nimport c",
        parts__in__deep__in____init__="",
        parts__in__deep__in__er="import d",
        parts__in__deep__in__other="import e",
        unused="import tensorflow",
    )
    assert of(main) == {"torch", "a", "b", "c", "d", "e"}


def test_a_folder_and_a_module_are_programs_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, app__in____init__="", app__in____main__="from . import run", app__in__run="import torch")
    write(tmp_path, folder__in____main__="import jax")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert own_imports(LaunchedProgram("app", "", ())) == {"torch"}
    assert own_imports(LaunchedProgram("app.run", "", ())) == {"torch"}
    assert of(tmp_path / "folder") == {"jax"}


def test_what_is_not_the_users_own_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert own_imports(LaunchedProgram("pytest", "", ())) == set()
    assert of(tmp_path / "missing.py") == set()
