"""Has one source file of a program replaced by another, under the name of which it then runs.

What reads the source of a function again, as AutoGraph does, must find the text that was compiled: so the code bears
the name of the new file.
"""

from __future__ import annotations

import importlib.machinery
import sys
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any

from tensordbg.recording.launch import LaunchedProgram
from tensordbg.replaying.program import Patched


def with_patch(launch: LaunchedProgram, patched: Patched) -> LaunchedProgram:
    """The program with the patch in place: as its script, or wherever it imports that file."""
    script = Path(launch.script)
    if launch.module is None and script.name == Path(patched.file).name and script.exists():
        # Modules beside the script are still found.
        sys.path.insert(1, str(script.resolve().parent))
        return replace(launch, script=patched.by)
    _replace_module(patched)
    return launch


def _replace_module(patched: Patched) -> None:
    loader = importlib.machinery.SourceFileLoader
    plain = loader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        file = Path(self.get_filename(fullname))
        if file.name == Path(patched.file).name and _same_folder(file, Path(patched.file)):
            return compile(Path(patched.by).read_bytes(), patched.by, "exec", dont_inherit=True)
        return plain(self, fullname)

    loader.get_code = get_code  # type: ignore[method-assign]


def _same_folder(file: Path, captured: Path) -> bool:
    """Whether it is the file that was captured, here or where the program lies on this machine."""
    return file.resolve() == captured.resolve() or (not captured.exists() and file.parent.name == captured.parent.name)
