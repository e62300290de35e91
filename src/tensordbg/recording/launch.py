"""Runs a program under recording, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.recording.launch TRACE PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg run` starts this with the user's own interpreter and waits. The program sees its own `sys.argv`, `__main__` and
`sys.path`; its output, exceptions, exit code and signals are its own.
"""

from __future__ import annotations

import atexit
import os
import runpy
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

from tensordbg.errors import TensordbgError
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.handed_on import HandedOn, hand_on
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.settings import settings_above
from tensordbg.trace.program.process import RUN_VARIABLE


@dataclass(frozen=True)
class LaunchedProgram:
    """The program to be run."""

    module: str | None
    """Name of a module, or None where `script` is run."""
    script: str
    arguments: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return Path(self.script).parent if self.module is None else Path.cwd()


NO_PROGRAM = LaunchedProgram(None, "", ())
"""Where a function of a running program is watched: it can't be said whose imports are its own."""


@dataclass(frozen=True)
class Launch(LaunchedProgram):
    """The program to be run, and where its trace goes."""

    trace: Path
    plan: Plan


def parse(words: list[str]) -> Launch:
    """Reads the command line above; `tdbg run` wrote it, so it is well-formed."""
    trace, plan, *rest = words
    program = parse_program(rest)
    return Launch(program.module, program.script, program.arguments, Path(trace), Plan.from_json(plan))


def parse_program(words: list[str]) -> LaunchedProgram:
    """Reads `(-m MODULE | SCRIPT) ARGS...`."""
    if words[0] == "-m":
        return LaunchedProgram(words[1], "", tuple(words[2:]))
    return LaunchedProgram(None, words[0], tuple(words[1:]))


def command_of(launch: LaunchedProgram) -> tuple[str, ...]:
    """The command line that runs the program without us."""
    what = (launch.script,) if launch.module is None else ("-m", launch.module)
    return (sys.executable, *what, *launch.arguments)


def _new_main() -> types.ModuleType:
    """A fresh `__main__`, as the interpreter makes one for a program."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __annotations__={})
    sys.modules["__main__"] = main
    return main


Compiled = Callable[[bytes, str], CodeType]
"""Makes code of a source file's text and its path."""


def plainly(source: bytes, file: str) -> CodeType:
    """Compiles a script as Python does."""
    code: CodeType = compile(source, file, "exec", dont_inherit=True)
    return code


def run_program(launch: LaunchedProgram, compiled: Compiled = plainly) -> None:
    """Runs it as `__main__`; `compiled` makes the code of a script."""
    if launch.module is None:
        _run_script(launch, compiled)
    else:
        _run_module(launch)


def _run_script(launch: LaunchedProgram, compiled: Compiled) -> None:
    script = Path(launch.script)
    sys.argv = [launch.script, *launch.arguments]
    CATALOG.user_code.add_root(str(script if script.is_dir() else script.parent))
    if script.is_dir() or script.suffix in {".zip", ".pyz"}:
        # A folder or archive with a __main__.py.
        sys.path[0] = launch.script
        runpy.run_path(launch.script, run_name="__main__")
        return
    sys.path[0] = str(script.resolve().parent)
    main = _new_main()
    # What the program sees as __file__ is absolute since Python 3.9; links in it are not followed.
    file = str(Path.cwd() / script)
    main.__dict__.update(__file__=file, __cached__=None)
    code = compiled(script.read_bytes(), file)
    # Importing a framework takes seconds, in which the user may go on editing.
    CATALOG.keep_source(file)
    exec(code, main.__dict__)  # running the user's program is the purpose


def _run_module(launch: LaunchedProgram) -> None:
    module = launch.module or ""
    sys.argv = ["-m", *launch.arguments]
    sys.path[0] = str(Path.cwd())
    _new_main()
    CATALOG.user_code.add_root(_folder_of(module.partition(".")[0]))
    # What the interpreter itself calls for -m, since Python 2.5; `run_module` would take `__main__` away at the end.
    run_as_main: Callable[[str], object] = runpy._run_module_as_main  # type: ignore[attr-defined]  # noqa: SLF001
    run_as_main(module)


def _folder_of(package: str) -> str:
    """Where the code of the program's own top-level package lies."""
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        return next(iter(spec.submodule_search_locations))
    return spec.origin if spec is not None and spec.origin is not None else str(Path.cwd())


class Ending:
    """How the program ended, told to the trace after the program's own exit handlers have run."""

    def __init__(self, session: Session) -> None:
        self.exit_code: int | None = 0
        self.exception: str | None = None
        self._session = session
        atexit.register(self._tell)

    def _tell(self) -> None:
        self._session.stop(self.exit_code, self.exception)

    def take(self, error: BaseException) -> None:
        """Notes what ended the program."""
        if isinstance(error, SystemExit):
            code = error.code
            self.exit_code = code if isinstance(code, int) else 0 if code is None else 1
        else:
            self.exit_code = None if isinstance(error, KeyboardInterrupt) else 1
            self.exception = f"{type(error).__name__}: {error}"
            self._session.note_end(error)


def hide_our_frames() -> None:
    """The traceback of an exception begins with the program's own first line, as without us, and ends before ours."""
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        while trace is not None and _is_own(trace):
            trace = trace.tb_next
        if kind.__module__.startswith("tensordbg"):
            _cut(trace)
        show(kind, error.with_traceback(trace), trace)

    sys.excepthook = hook


def _cut(trace: types.TracebackType | None) -> None:
    """Has a traceback end before the first frame of ours: an error that we raise is told of the program's line."""
    while trace is not None and trace.tb_next is not None:
        if _is_own(trace.tb_next):
            trace.tb_next = None
        trace = trace.tb_next


def _is_own(trace: types.TracebackType) -> bool:
    return CATALOG.user_code.is_own(trace.tb_frame.f_code.co_filename)


def main() -> None:
    """Runs the program that the command line names."""
    record_launch(parse(sys.argv[1:]))


def record_launch(launch: Launch) -> None:
    """Runs a program under recording."""
    name = launch.module or Path(launch.script).stem
    try:
        plan = replace(launch.plan, allow=settings_above(launch.folder).allow)
        session = Session(launch.trace, plan, name, command_of(launch))
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)
    # What the program starts and is recorded too belongs to its run.
    os.environ[RUN_VARIABLE] = os.environ.get(RUN_VARIABLE) or session.id
    beside = (str(launch.trace.parent.absolute()), launch.plan.to_json())
    hand_on(HandedOn("tensordbg.recording.launch_beside", beside))
    ending = Ending(session)
    session.start()
    try:
        run_program(launch)
    except BaseException as error:
        ending.take(error)
        hide_our_frames()
        raise


if __name__ == "__main__":
    main()
