"""Checks what the runs of TensorFlow 1 sessions compute, while they run.

A watch behind each tensor looks at it before anything takes it. So the first that finds a bad number is that of the
operation which made it, and nothing is computed from it any more, nor written into a variable. What an optimizer keeps
beside a variable is looked at behind the run that updates it.
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
from tensordbg.backends.tensorflow.check.sessions.nodes import RunNode, RunNodes, Source, nodes_behind
from tensordbg.backends.tensorflow.check.sessions.unseen import Unseen
from tensordbg.backends.tensorflow.check.updates import Updates
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.watched import Behind, SessionRun
from tensordbg.checking.finding import Finding
from tensordbg.health.measured import Measured
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog

CHECK_OP = "TensordbgSessionCheck"

_OUTPUTS = 63

Seen = tuple[int, int, Measured]
"""The frame of a loop, its iteration, and the bad tensor."""

Held = Callable[[int, int], "RawTensor | None"]
"""The tensor of a node, by its place, and output, in the same step and iteration of a loop."""


class Checker(Protocol):
    """The checking that this is a part of."""

    @property
    def active(self) -> bool:
        """Whether anything is checked."""

    @property
    def has_rules(self) -> bool:
        """Whether there are rules by which anything may be let pass."""

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
        self,
        catalog: Catalog,
        checker: Checker,
        library: LibraryFunctions,
        forward: ForwardOperations,
        updates: Updates,
    ) -> None:
        self._catalog = catalog
        self._checker = checker
        self._library = library
        self._forward = forward
        self._updates = updates
        self._nodes: dict[int, list[RunNode]] = {}
        self._graphs: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._behind: set[int] = set()
        """The numbers of runs behind runs."""
        self._lenient: weakref.WeakSet[Any] = weakref.WeakSet()
        """Graphs in which something was let pass."""

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
        slots = run.description.slots if run.graph not in self._lenient else ()
        targets = [operation._c_op for operation, _ in slots]  # noqa: SLF001
        return CheckedCall(run, Behind(f"{CHECK_OP}(run={run.behind})", targets) if targets else None)

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
        graph = self._graphs.get(run)
        if run in self._behind and graph in self._lenient:
            return None
        message = self._judge(run, (place, slot), (frame, iteration, measured_of(tensor)), held)
        if message is None and graph is not None and self._checker.has_rules:
            # What was let pass may be kept beside a variable from now on.
            self._lenient.add(graph)
        return message

    def _judge(self, run: int, source: Source, seen: Seen, held: Held) -> str | None:
        nodes = self._nodes[run]
        unseen = Unseen(nodes, held)
        place, _ = source
        frame, iteration, found = seen
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
        chosen = _chosen_bad(nodes, unseen, place)
        made = None if chosen is None else unseen.measured(chosen)
        if chosen is not None and made is not None:
            return self._message(nodes, unseen, chosen, (frame, iteration, made))
        return self._message(nodes, unseen, source, seen)

    def _message(self, nodes: list[RunNode], unseen: Unseen, source: Source, seen: Seen) -> str | None:
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
            finding = replace(
                finding, forward=self._forward.of_site(site), update=self._updates.behind(site, was_finite=False)
            )
        return self._checker.judge(finding)

    def _tell(self, this: Any, run: SessionRun) -> None:
        """Tells the checks of a kind of run."""
        nodes = RunNodes(self._catalog, self._library.definition)
        nodes.add_run(run.description.operations, run.description.parts, run.key)
        for part in run.description.parts.all:
            self._forward.learn(part.function, run.graph)
        for number, described in ((run.number, nodes.all), (run.behind, nodes_behind(run.description.slots))):
            self._nodes[number] = described
            self._graphs[number] = run.graph
            _native.describe_checked_run(number, [node.row() for node in described])
            weakref.finalize(this, self._forget, number)
        self._behind.add(run.behind)
        run.told.add(self.doing)

    def _forget(self, number: int) -> None:
        _native.forget_checked_run(number)
        self._nodes.pop(number, None)
        self._graphs.pop(number, None)
        self._behind.discard(number)


class CheckedCall:
    """One run that is checked."""

    def __init__(self, run: SessionRun, behind: Behind | None) -> None:
        """`behind` is the run in which it is looked at what this one leaves, if any."""
        numbers = (run.number,) if behind is None else (run.number, run.behind)
        self._begun = [(number, _native.begin_checked_call(number)) for number in numbers]
        self.operation = f"{CHECK_OP}(run={run.number})"
        self.behind = behind

    def end(self, error: BaseException | None) -> None:  # noqa: ARG002
        """Nothing of the run is needed any more."""
        for number, call in self._begun:
            _native.end_checked_call(number, call)


def _chosen_bad(nodes: list[RunNode], unseen: Unseen, place: int) -> Source | None:
    """The first bad of what went into something without having been looked at, as it was only to be chosen from."""
    for source in nodes[place].inputs:
        made = unseen.measured(source) if source is not None and nodes[source[0]].chosen else None
        if source is not None and made is not None and made.bad_index is not None:
            return _chosen_bad(nodes, unseen, source[0]) or source
    return None


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
