"""Records each test of pytest into a trace of its own, which is kept where the test fails."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tensordbg.allowed import AllowRule, rules_of
from tensordbg.errors import TensordbgError
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session, seal
from tensordbg.recording.settings import settings_above
from tensordbg.testing.finite import report_of
from tensordbg.trace.writer import new_trace_folder

_HEADING = "tensordbg"
_TEST = pytest.StashKey["_RecordedTest"]()


class _RecordedTest:
    """The recording of one test, with its fixtures."""

    def __init__(self, out: Path, name: str, rules: tuple[AllowRule, ...]) -> None:
        self.folder = new_trace_folder(out, name)
        self.left: str = ""
        """Why nothing more is recorded; empty while all is."""
        self._session = Session(self.folder, Plan(allow=rules), name)
        self._session.give_way = self._give_way
        self._session.start()

    def stop(self) -> None:
        """Ends it; more than once does nothing."""
        self._session.stop()

    def note(self, error: BaseException) -> None:
        """Notes the error with which the test failed."""
        self._session.note_end(error)

    def _give_way(self) -> None:
        self.left = "the test records by itself"
        self._session.stop()


class RecordedTests:
    """The hooks of pytest that record tests."""

    def __init__(self, config: pytest.Config) -> None:
        """Keeps traces where `--tdbg-out` says."""
        self._out = Path(config.getoption("--tdbg-out")).absolute()
        self._rules = settings_above(config.rootpath).allow

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Records from before the first fixture; what is kept is sealed behind the last."""
        rules = _allowed(item)
        if rules is None:
            return (yield)
        recorded = self._begin(item, rules)
        try:
            return (yield)
        finally:
            if recorded is not None:
                recorded.stop()
                self._keep_or_delete(item, recorded)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fails the test whose own assertions hold, but whose numbers are not finite."""
        recorded = item.stash.get(_TEST, None)
        try:
            yield
        except BaseException as error:
            if recorded is not None:
                recorded.note(error)
            raise
        finally:
            if recorded is not None:
                recorded.stop()
        told = "" if recorded is None or recorded.left else _report_or_nothing(recorded.folder)
        if told and recorded is not None:
            item.stash[_TOLD] = True
            where = _shown(recorded.folder, item)
            pytest.fail(f"numbers stopped being finite; `tdbg why {where}` shows this again\n\n{told}", pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Says of a failed test where its trace is; of one that failed by itself also what its numbers were."""
        report = yield
        recorded = item.stash.get(_TEST, None)
        if recorded is None or not report.failed:
            return report
        told_already = item.stash.get(_TOLD, False)
        if told_already and _expects_failure(item):
            _expect(report)
            return report
        item.stash[_FAILED] = True
        if told_already:
            return report
        recorded.stop()
        told = "" if recorded.left else _report_or_nothing(recorded.folder)
        report.sections.append((_HEADING, f"the trace is {_shown(recorded.folder, item)}\n{told}"))
        return report

    def _begin(self, item: pytest.Item, rules: tuple[AllowRule, ...]) -> _RecordedTest | None:
        if Session.current() is not None:  # by `tdbg run`, say, whose trace holds the test too
            return None
        recorded = _RecordedTest(self._out, item.name, (*self._rules, *rules))
        item.stash[_TEST] = recorded
        return recorded

    def _keep_or_delete(self, item: pytest.Item, recorded: _RecordedTest) -> None:
        if item.stash.get(_FAILED, False) and not recorded.left:
            seal(recorded.folder)
            return
        shutil.rmtree(recorded.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._out.rmdir()


_FAILED = pytest.StashKey[bool]()
_TOLD = pytest.StashKey[bool]()
"""Whether the test failed by us, with the report."""


def _expects_failure(item: pytest.Item) -> bool:
    """Whether `unittest.expectedFailure` stands at the test or at its class, where it leaves this mark."""
    mark = "__unittest_expecting_failure__"
    return any(getattr(getattr(item, each, None), mark, False) for each in ("obj", "cls"))


def _expect(report: pytest.TestReport) -> None:
    """Makes a failure the one that was expected, as pytest does with those of `xfail`."""
    report.outcome = "skipped"
    report.wasxfail = "numbers stopped being finite"


def _allowed(item: pytest.Item) -> tuple[AllowRule, ...] | None:
    """The rules of a test's markers; None where one allows everything."""
    rules: list[AllowRule] = []
    for marker in item.iter_markers("tdbg_allow"):
        tables: Iterator[Any] = iter(({**marker.kwargs},) if marker.kwargs else marker.args)
        given = list(tables)
        if not given:
            return None
        try:
            rules += rules_of(given, f"tdbg_allow of {item.name}")
        except TensordbgError as error:
            raise pytest.UsageError(str(error)) from None
    return tuple(rules)


def _report_or_nothing(folder: Path) -> str:
    """The report of what is wrong; a trace that can't be read is no reason to fail."""
    try:
        return report_of(folder)
    except TensordbgError:
        return ""


def _shown(folder: Path, item: pytest.Item) -> str:
    """The folder as one types it where pytest was started."""
    start = item.config.invocation_params.dir
    return str(folder.relative_to(start)) if folder.is_relative_to(start) else str(folder)
