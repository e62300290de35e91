"""Checks what the runs of TensorFlow 1 sessions compute, while they run.

A watch behind each tensor looks at it before anything takes it. So the first that finds a bad number is that of the
operation which made it, and nothing is computed from it any more, nor written into a variable.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from types import FrameType
from typing import Any, Protocol

from tensordbg import _native
from tensordbg.backends.tensorflow.check.forward_operations import ForwardOperations
from tensordbg.backends.tensorflow.check.graph import input_of
from tensordbg.backends.tensorflow.check.sessions.nodes import RunNode, RunNodes, Source
from tensordbg.backends.tensorflow.check.sessions.unseen import Unseen
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.watched import Behind, SessionRun
from tensordbg.checking.finding import Finding
from tensordbg.health.measured import Measured
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog

CHECK_OP = "TensordbgSessionCheck"

_OUTPUTS = 63

Held = Callable[[int, int], "RawTensor | None"]
"""The tensor of a node, by its place, and output, in the same step and iteration of a loop."""


class Checker(Protocol):
    """The checking that this is a part of."""

    @property
    def active(self) -> bool:
        """Whether anything is checked."""

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the checking."""

    def warn(self, message: str) -> None:
        """Says something once."""

    def judge(self, finding: Finding) -> str | None:
        """The message of a finding, None where it is allowed."""


class CheckedSessions:
    """Has the runs of sessions checked."""

    doing = "checking"
    done = "checked"

    def __init__(
        self, catalog: Catalog, checker: Checker, library: LibraryFunctions, forward: ForwardOperations
    ) -> None:
        self._catalog = catalog
        self._checker = checker
        self._library = library
        self._forward = forward
        self._nodes: dict[int, list[RunNode]] = {}

    @property
    def active(self) -> bool:
        """Whether anything is checked."""
        return self._checker.active

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the checking."""
        return self._checker.guard(what)

    def warn(self, message: str) -> None:
        """On standard error."""
        self._checker.warn(message)

    def begin(self, this: Any, run: SessionRun, caller: FrameType) -> CheckedCall:  # noqa: ARG002
        """Has a run checked."""
        if self.doing not in run.told:
            with self._catalog.lock:
                if self.doing not in run.told:
                    self._tell(this, run)
        return CheckedCall(run.number)

    def judge(  # noqa: PLR0913, PLR0917  as the kernel calls it
        self, run: int, place: int, slot: int, frame: int, iteration: int, tensor: RawTensor, held: Held
    ) -> str | None:
        """The message of a bad number in output `slot` of a node; None where it is allowed.

        Args:
            run: The number of the kind of run.
            place: The node's, in the list of the run.
            slot: The output.
            frame: The loop's, 0 outside of loops.
            iteration: The loop's iteration.
            tensor: The bad tensor.
            held: Gives the others.
        """
        nodes = self._nodes[run]
        unseen = Unseen(nodes, held)
        found = measured_of(tensor)
        with self.guard("looking at what was not seen"):
            unseen.inputs(place)
        for earlier in unseen.computed:
            for output in range(_OUTPUTS):
                made = unseen.measured((earlier, output)) if nodes[earlier].checked >> output & 1 else None
                if made is not None and _made_here(nodes, unseen, earlier, made):
                    message = self._message(nodes, unseen, (earlier, output), (frame, iteration, made))
                    if message is not None:
                        return message
        if unseen.computed and not _made_here(nodes, unseen, place, found):
            return None
        return self._message(nodes, unseen, (place, slot), (frame, iteration, found))

    def _message(
        self, nodes: list[RunNode], unseen: Unseen, source: Source, seen: tuple[int, int, Measured]
    ) -> str | None:
        frame, iteration, tensor = seen
        place, slot = source
        site = self._catalog.site(nodes[place].site)
        inputs = unseen.inputs(place)
        if len(inputs) != len(site.inputs):
            inputs = [None] * len(site.inputs)
        finding = Finding(
            op_type=site.op_type,
            name=site.name,
            slot=slot,
            outputs=len(site.dtypes),
            tensor=tensor,
            inputs=tuple(
                input_of(self._catalog, reference, measured)
                for reference, measured in zip(site.inputs, inputs, strict=True)
            ),
            frames=self._catalog.frames(site.stack) if site.stack != NONE else (),
            function=self._catalog.function(site.function).name,
            path=nodes[place].path,
            iteration=iteration if frame else None,
            variables=tuple(self._catalog.variable(variable).name for variable in site.reads),
        )
        with self.guard("looking for the forward operation"):
            finding = replace(finding, forward=self._forward.of_site(site))
        return self._checker.judge(finding)

    def _tell(self, this: Any, run: SessionRun) -> None:
        """Tells the checks of a kind of run."""
        nodes = RunNodes(self._catalog, self._library.definition)
        nodes.add_run(run.description.operations, run.description.parts, run.key)
        self._nodes[run.number] = nodes.all
        for part in run.description.parts.all:
            self._forward.learn(part.function, run.graph)
        _native.describe_checked_run(run.number, [node.row() for node in nodes.all])
        weakref.finalize(this, self._forget, run.number)
        run.told.add(self.doing)

    def _forget(self, number: int) -> None:
        _native.forget_checked_run(number)
        self._nodes.pop(number, None)


class CheckedCall:
    """One run that is checked."""

    behind: Behind | None = None

    def __init__(self, run: int) -> None:
        self._run = run
        self._number = _native.begin_checked_call(run)
        self.operation = f"{CHECK_OP}(run={run})"

    def end(self, error: BaseException | None) -> None:  # noqa: ARG002
        """Nothing of the run is needed any more."""
        _native.end_checked_call(self._run, self._number)


def _made_here(nodes: list[RunNode], unseen: Unseen, place: int, made: Measured) -> bool:
    """Whether an operation made a bad number itself. A NaN made of infinities that were let pass counts."""
    given = [
        measured.health
        for source, measured in zip(nodes[place].inputs, unseen.inputs(place), strict=True)
        if source is not None and measured is not None and not nodes[source[0]].foreign >> source[1] & 1
    ]
    health = made.health
    if health is None or not health.non_finite:
        return False
    if health.nan:
        return not any(each and each.nan for each in given)
    return not any(each and each.non_finite for each in given)
