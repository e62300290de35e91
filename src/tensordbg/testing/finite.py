"""`tensordbg.assert_finite`: asserts that a block of code, or a trace, has finite numbers alone."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tensordbg.recording.session import Session, record
from tensordbg.testing.judging import complaint

if TYPE_CHECKING:
    from tensordbg.allowed import AllowRule
    from tensordbg.trace.reader import TraceReader


class FiniteNumbers(contextlib.AbstractContextManager["FiniteNumbers"]):
    """The numbers of a `with` block, which is recorded, and must be finite at its end."""

    def __init__(self, allow: Iterable[Mapping[str, Any] | AllowRule]) -> None:
        """Will allow infinities by these rules."""
        self._allow = tuple(allow)
        self._stack = contextlib.ExitStack()
        self.path: Path | None = None
        """Of the trace; None where the process is being recorded already, whose trace holds the block too."""

    def __enter__(self) -> FiniteNumbers:
        current = Session.current()
        if current is None or current.give_way is not None:
            folder = Path(tempfile.mkdtemp(prefix="tdbg-assert-"))
            self.path = self._stack.enter_context(record(folder, allow=self._allow)).path
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if self.path is None:
            return
        told = "" if kind is not None else report_of(self.path)
        if told:
            raise AssertionError(f"numbers stopped being finite; the trace is {self.path}\n{told}")
        if kind is None:
            shutil.rmtree(self.path.parent, ignore_errors=True)


def assert_finite(
    trace: str | Path | None = None, allow: Iterable[Mapping[str, Any] | AllowRule] = ()
) -> FiniteNumbers | None:
    """Asserts that all numbers that matter are finite: of a trace, or, without one, of a `with` block.

        with tensordbg.assert_finite():
            train()

    Infinities that died out, as those of an attention mask, are let pass; NaN counts also where nothing read it. The
    trace of a block is kept where it fails. In a process that is recorded already, as by `tdbg run`, a block only runs.

    Args:
        trace: A trace, or a folder of traces, of which the newest run is meant.
        allow: For a block: where infinities are allowed, see `tensordbg.record`.

    Raises:
        AssertionError: If they are not, with what `tdbg why` says.
        TraceError: If there is no trace that can be read.
    """
    if trace is None:
        return FiniteNumbers(allow)
    told = report_of(trace)
    if told:
        raise AssertionError(f"{trace}: numbers stopped being finite\n{told}")
    return None


def report_of(trace: str | Path) -> str:
    """The report of what fails a test in the newest run of a folder; empty where nothing does."""
    return complaint(dict(_readers(trace)))


def _readers(trace: str | Path) -> Iterator[tuple[str, TraceReader]]:
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.trace.reader import open_trace

    processes = find_run(trace).processes
    for process in processes:
        yield process.name if len(processes) > 1 else "", open_trace(process.folder)
