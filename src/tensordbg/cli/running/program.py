"""The program that `tdbg run` is asked to record, and the command line that records it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tensordbg.cli.messages import did_you_mean
from tensordbg.debug.plan import DebugPlan
from tensordbg.errors import UsageError
from tensordbg.recording.plan import Plan
from tensordbg.replaying.program import ProgramReplay
from tensordbg.stopping.plan import StopPlan
from tensordbg.trapping.plan import TrapPlan


@dataclass(frozen=True)
class Program:
    """The program to be run, as words for the launcher."""

    name: str
    """Short, for the trace's folder."""
    words: tuple[str, ...]
    """`SCRIPT ARGS...` or `-m MODULE ARGS...`."""

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return Path.cwd() if self.words[0] == "-m" else Path(self.words[0]).parent

    @classmethod
    def script(cls, script: str, arguments: tuple[str, ...]) -> Program:
        """A Python file, or a folder or archive with a `__main__.py`, or a command that is a Python file: `torchrun`.

        Raises:
            UsageError: If it does not exist.
        """
        path = Path(script)
        if not path.exists() and (command := _command(script)) is not None:
            return cls(name=script, words=(str(command), *arguments))
        if not path.exists():
            folder = path.parent
            nearby = [str(folder / file.name) for file in folder.glob("*.py")] if folder.is_dir() else []
            question = did_you_mean(script, nearby)
            raise UsageError(f"no such file {script!r}{question} `tdbg run` takes a Python program and its arguments")
        return cls(name=path.resolve().stem, words=(script, *arguments))

    @classmethod
    def module(cls, module: str, arguments: tuple[str, ...]) -> Program:
        """A module that can be imported from here.

        Raises:
            UsageError: If its outermost package is not found; the rest is left to Python, since finding a module in a
                package imports the package.
        """
        if not _importable(module.partition(".")[0]):
            raise UsageError(
                f"no module named {module!r} in this folder or in {sys.executable}; install it, or change "
                "to the folder that holds it"
            )
        return cls(name=module, words=("-m", module, *arguments))

    def command(self, trace: Path, plan: Plan) -> list[str]:
        """The command line of the process that runs it and records it into `trace`."""
        launcher = [sys.executable, "-m", "tensordbg.recording.launch"]
        return [*launcher, str(trace), plan.to_json(), *self.words]

    def check_command(self) -> list[str]:
        """The command line of the process that runs it and checks its numbers."""
        return [sys.executable, "-m", "tensordbg.checking.launch", *self.words]

    def stop_command(self, plan: StopPlan) -> list[str]:
        """The command line of the process that runs it up to some lines, and a debugger there."""
        return [sys.executable, "-m", "tensordbg.stopping.launch", plan.to_json(), *self.words]

    def trap_command(self, plan: TrapPlan) -> list[str]:
        """The command line of the process that runs it with a trap."""
        return [sys.executable, "-m", "tensordbg.trapping.launch", plan.to_json(), *self.words]

    def replay_command(self, plan: ProgramReplay) -> list[str]:
        """The command line of the process that runs it up to a captured step, and that step."""
        return [sys.executable, "-m", "tensordbg.replaying.program_launch", plan.to_json(), *self.words]

    def debug_command(self, trace: Path, plan: DebugPlan) -> list[str]:
        """The command line of the process that runs it under the debugger and records it into `trace`."""
        return [sys.executable, "-m", "tensordbg.debug.launch", str(trace), plan.to_json(), *self.words]


def _command(name: str) -> Path | None:
    """The file of a command that Python runs, as packages install them, of this interpreter if there is one."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None or os.sep in name:
        return None
    with contextlib.suppress(OSError), Path(found).open("rb") as file:
        first = file.readline(200)
        if first.startswith(b"#!") and b"python" in first:
            return Path(found)
    return None


def _importable(package: str) -> bool:
    before = sys.path[:]
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False
    finally:
        sys.path[:] = before
