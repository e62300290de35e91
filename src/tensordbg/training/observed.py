"""A training that is recorded, and perhaps trapped, from its start to its end; every framework's callback holds one."""

from __future__ import annotations

import atexit
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.attaching.attach import attach, check_place
from tensordbg.errors import TensordbgError
from tensordbg.recording.saying import say, write
from tensordbg.recording.session import Session, record
from tensordbg.trapping.plan import on_bad_of
from tensordbg.trapping.session import trap

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult
    from tensordbg.trapping.session import Trap


@dataclass(frozen=True)
class Observation:
    """The options of a callback.

    Raises:
        UsageError: If `on_bad` or `attach` is no such word.
    """

    out: str | Path = "tdbg-traces"
    """The folder in which the trace is made."""
    every: int = 1
    """One step in so many is recorded."""
    on_bad: str = ""
    """What a trap does with a bad step: `stop`, `skip` or `record`; empty for no trap."""
    captures: str | Path = "captures"
    """Where a trap keeps bad steps."""
    attach: str = ""
    """The tool to whose active run the findings are attached; empty for none."""

    def __post_init__(self) -> None:
        if self.on_bad:
            on_bad_of(self.on_bad)
        if self.attach:
            check_place(self.attach)


class ObservedTraining:
    """A training, from `begin` to `end`.

    Where the process is recorded already, as by `tdbg run`, it does nothing: that trace holds the training, too.
    """

    def __init__(self, options: Observation) -> None:
        """Prepares; nothing is recorded yet."""
        self._options = options
        self._stack = contextlib.ExitStack()
        self._trap: Trap | None = None
        self._under_way = False
        self.path: Path | None = None
        """The trace; None before a training, and where another recording holds it."""

    @property
    def traps(self) -> bool:
        """Whether bad steps are trapped."""
        return bool(self._options.on_bad)

    @property
    def captures(self) -> list[Path]:
        """The bad steps that a trap captured."""
        return [] if self._trap is None else self._trap.captures

    def why(self) -> WhyResult | None:
        """Where and why the numbers went wrong, as `tdbg why` says it; None where nothing was recorded here."""
        if self.path is None:
            return None
        from tensordbg.api import open as open_trace

        return open_trace(self.path).why()

    def begin(self) -> None:
        """Records from now on; a recording that can't begin is said, and the training goes on."""
        self._stack.close()
        self.path = self._trap = None
        current = Session.current()
        if current is not None and current.give_way is None:
            return
        try:
            recording = self._stack.enter_context(record(self._options.out, every=self._options.every))
            if self.traps:
                self._trap = self._stack.enter_context(trap(self._options.captures, self._options.on_bad))
        except TensordbgError as error:
            self._stack.close()
            say(f"warning: the training is not recorded: {error}")
            return
        self.path, self._under_way = recording.path, True
        # An error ends many trainings without a word to their callbacks.
        atexit.register(self.end)

    def end(self) -> None:
        """Ends the recording and writes to standard error what came of it; more than once does nothing."""
        atexit.unregister(self.end)
        if self.path is None or not self._under_way:
            return
        self._under_way = False
        self._stack.close()
        try:
            self._tell(self.path)
            if self._options.attach:
                attach(self.path, self._options.attach)
        except TensordbgError as error:
            say(f"warning: {error}")
        except Exception as error:  # noqa: BLE001  whatever it is, the training has gone well
            say(f"no report of {self.path}: {type(error).__name__}: {error}")

    def _tell(self, path: Path) -> None:
        from tensordbg.report.findings.warnings import warning_headline
        from tensordbg.report.findings.why_text import render
        from tensordbg.report.numbers import amount

        result = self.why()
        assert result is not None
        if result.non_finite_events or result.failures:
            write(f"\n{render(result)}\n")
        else:
            say(f"all {amount(result.tensor_events, 'tensor')} of the training were finite")
            for warning in result.warnings[:_NAMED]:
                say(f"warning: {warning_headline(warning)}")
        for capture in self.captures:
            say(f"a bad step was captured; `tdbg replay {capture}` runs it again")
        named = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        say(f"the trace is {named}; `tdbg why {named}` tells more")


class HoldsTraining:
    """A framework's callback by what all have in common: its options, and where its training is found afterwards.

    It stands before the framework's own class among the bases of a callback.
    """

    def __init__(
        self,
        out: str | Path = "tdbg-traces",
        every: int = 1,
        on_bad: str = "",
        captures: str | Path = "captures",
        attach: str = "",
    ) -> None:
        """Takes where to record and how much.

        Args:
            out: The folder in which a new trace is made.
            every: Record one step in so many of each function.
            on_bad: Also trap steps that go wrong: `stop`, `skip` or `record` as of `tensordbg.trap`; empty for no trap.
            captures: Where a trap keeps bad steps.
            attach: Attach the findings to the active run of `wandb` or `mlflow`, see `tensordbg.attach`.

        Raises:
            UsageError: If `on_bad` or `attach` is no such word.
        """
        super().__init__()
        self.training = ObservedTraining(Observation(out, every, on_bad, captures, attach))

    @property
    def path(self) -> Path | None:
        """The trace of the last training."""
        return self.training.path

    def why(self) -> WhyResult | None:
        """Where and why the numbers of the last training went wrong."""
        return self.training.why()


_NAMED = 4
"""So many warnings are named."""
