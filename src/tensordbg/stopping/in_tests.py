"""Has the program stop in test files too, which pytest loads by a loader of its own that rewrites assertions.

pytest keeps what it made of a file beside it. What stops is neither taken from there nor kept: it would stop, or fail,
in other processes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from tensordbg.errors import UsageError
from tensordbg.recording.saying import say
from tensordbg.stopping.stops import Stops

REWRITING = "_pytest.assertion.rewrite"
"""The module of pytest's loader. Of it `rewrite_asserts(tree, source, file, config)`, `_read_pyc(file, ...)` and
`_write_pyc(state, code, ...)` are relied on, which are there since pytest 5."""


def stop_in_tests(stops: Stops) -> None:
    """Begins, once that module is imported; without what is relied on, test files are loaded as they are."""
    module: Any = sys.modules[REWRITING]
    if not all(hasattr(module, name) for name in ("rewrite_asserts", "_read_pyc", "_write_pyc")):
        say("this pytest loads test files in a way that is not known; lines of them are not stopped at")
        return
    module.rewrite_asserts = _stopping(stops, module.rewrite_asserts)
    read, write = module._read_pyc, module._write_pyc  # noqa: SLF001

    def read_pyc(file: Any, *args: Any, **kwargs: Any) -> CodeType | None:
        return None if stops.is_of(str(file)) else read(file, *args, **kwargs)

    def write_pyc(state: Any, code: CodeType, *args: Any, **kwargs: Any) -> Any:
        return True if stops.is_of(code.co_filename) else write(state, code, *args, **kwargs)

    module._read_pyc, module._write_pyc = read_pyc, write_pyc  # noqa: SLF001
    stops.around_questions.append(_uncaptured)


@contextmanager
def _uncaptured() -> Iterator[None]:
    """What is printed and typed goes to and comes from the terminal, as where pytest's own debugger asks."""
    debugging: Any = sys.modules.get("_pytest.debugging")
    manager = getattr(getattr(debugging, "pytestPDB", None), "_pluginmanager", None)
    capturing = None if manager is None else manager.getplugin("capturemanager")
    if capturing is None:
        yield
        return
    capturing.suspend(in_=True)
    try:
        yield
    finally:
        capturing.resume()


def _stopping(stops: Stops, plain: Callable[..., None]) -> Callable[..., None]:
    def rewrite_asserts(tree: ast.Module, source: bytes, file: str | None = None, *rest: Any, **kwargs: Any) -> None:
        if file is not None and stops.is_of(file):
            try:
                stops.put_into(tree, source, file)
            except UsageError as error:
                say(f"{error}; the program goes on")
        plain(tree, source, file, *rest, **kwargs)

    return rewrite_asserts
