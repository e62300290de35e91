"""Ends the program at the operation that makes the first bad number, as `tf.debugging.enable_check_numerics` does."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from tensordbg import _native
from tensordbg.allowed import AllowRule, applicable, rules_of
from tensordbg.backends.tensorflow.check.by_design import is_by_design, is_of_tensorflow
from tensordbg.backends.tensorflow.check.eager import EagerChecks
from tensordbg.backends.tensorflow.check.forward_operations import ForwardOperations
from tensordbg.backends.tensorflow.check.graph import Place, graph_finding
from tensordbg.backends.tensorflow.check.loss_scaling import LossScaling
from tensordbg.backends.tensorflow.check.nodes import NodesApart, add_checks
from tensordbg.backends.tensorflow.check.sessions.runs import CheckedSessions
from tensordbg.backends.tensorflow.check.updates import Updates
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.instrument import XLA_NOTE
from tensordbg.backends.tensorflow.hooks import framework_library, hooks
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.checking.finding import Finding
from tensordbg.checking.message import Limits, found_of, limits_of, message_of
from tensordbg.model import NONE
from tensordbg.recording.carried import ON_THE_WAY
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.guard import guarded
from tensordbg.recording.saying import say
from tensordbg.recording.settings import settings_of_program


class Checking:
    """The checks of this process: an instrument of functions, a layer before the eager runtime, and of sessions."""

    kind = "check"

    def __init__(self) -> None:
        self._active = False
        self._limits = Limits()
        self._rules: tuple[AllowRule, ...] = ()
        self._eager = EagerChecks(CATALOG, self.judge, self.fail)
        self._forward = ForwardOperations(CATALOG.user_code)
        self._updates = Updates(CATALOG, self._forward)
        self._scaling = LossScaling(self.guard)
        self._sessions: CheckedSessions | None = None
        self._chosen: set[int] = set()
        self._lock = threading.RLock()
        self._warned: set[str] = set()

    @property
    def active(self) -> bool:
        """Whether anything is checked."""
        return self._active

    @property
    def has_rules(self) -> bool:
        """Whether there are rules by which anything may be let pass."""
        return bool(self._rules)

    def start(self, limits: Limits, rules: tuple[AllowRule, ...]) -> None:
        """Checks everything from now on, in all threads; where that is so already, under new settings.

        Raises:
            RuntimeError: If this TensorFlow lacks a function of its C API that the check needs.
        """
        with self._lock:
            _native.register_tensorflow_check(framework_library())
            self._limits, self._rules = limits, rules
            self._eager.lenient = bool(rules)
            _native.start_checking(self._judge_graph, True)
            if self._sessions is None:
                _native.register_tensorflow_session_check(framework_library())
                self._sessions = CheckedSessions(CATALOG, self, hooks().library, self._forward, self._updates)
            _native.start_session_checking(self._sessions.judge, True)
            if not self._active:
                self._active = True
                hooks().functions.add(self)
                hooks().entries.add(self._eager)
                hooks().sessions.add(self._sessions)
                self._eager.install(hooks().entries)
                self._scaling.install()

    def stop(self) -> None:
        """Checks nothing from now on."""
        with self._lock:
            if self._active:
                self._active = False
                _native.stop_checking()
                _native.stop_session_checking()
                self._eager.uninstall()
                self._scaling.uninstall()
                hooks().entries.remove(self._eager)
                if self._sessions is not None:
                    hooks().sessions.remove(self._sessions)
                hooks().functions.remove(self)

    def wants(self, graph: Any, definition: Any) -> bool:  # noqa: ARG002  all functions alike
        """Every function."""
        return True

    def add_nodes(self, definition: Any, described: Description) -> None:
        """One check for each tensor that is computed."""
        if XLA_NOTE in described.function.notes:
            self.warn(
                f"{described.function.name} was meant to be compiled by XLA; it is checked without the compilation"
            )
        self._forward.learn(described.function.graph, described.graph)
        backward = frozenset(name for name, site in described.sites.items() if CATALOG.site(site).backward)
        self._chosen |= add_checks(definition, described, NodesApart(backward, self._of_tensorflow(described)))

    def _of_tensorflow(self, described: Description) -> frozenset[str]:
        """The nodes that TensorFlow's functions have computed for a purpose of their own."""
        if self._rules:
            return frozenset()  # what they let pass goes on to be let pass
        stacks = {name: CATALOG.site(site).stack for name, site in described.sites.items()}
        own = {each: each != NONE and is_of_tensorflow(CATALOG.frames(each)) for each in {*stacks.values()}}
        return frozenset(name for name, stack in stacks.items() if own[stack])

    def warn(self, message: str) -> None:
        """Says something once, on standard error."""
        if message not in self._warned:
            self._warned.add(message)
            say(f"warning: {message}")

    def guard(self, what: str) -> AbstractContextManager[None]:
        """Runs code of ours inside the user's program: a fault in it ends the checking, never the program."""
        return guarded(what, self.fail)

    def fail(self, what: str, error: BaseException) -> None:
        """Ends the checking because of a fault of ours, with one warning."""
        if self._active:
            self.stop()
            self.warn(f"checking stopped: {what} failed with {type(error).__name__}: {error}; the program goes on")

    def judge(self, finding: Finding) -> str | None:
        """The message of a finding, None where it is meant or allowed."""
        if is_by_design(finding) or self._scaling.catches(finding):
            return None
        health = finding.tensor.health
        rules = applicable(self._rules, finding.op_type, finding.name, finding.frames)
        if any(rule.nan or (health is not None and not health.nan) for rule in rules):
            return None
        return ON_THE_WAY.send(message_of(finding, self._limits), found_of(finding, self._limits))

    def _judge_graph(self, place: Place, tensors: Sequence[RawTensor]) -> str | None:
        if place[0] in self._chosen:
            *tensors, choice = tensors
            if measured_of(choice).bad_index is None:
                if self._active:
                    # The kernels remember what was let pass; what is chosen may be another in the next run.
                    _native.start_checking(self._judge_graph, True)
                return None
        finding = graph_finding(CATALOG, place, tensors)
        site, was_finite = CATALOG.site(place[0]), place[-1]
        with self.guard("looking for the operation to fix"):
            finding = replace(
                finding, forward=self._forward.of_site(site), update=self._updates.behind(site, was_finite)
            )
        return self.judge(finding)


_checking = Checking()


def enable_check_numerics(
    stack_height_limit: int | None = 30,
    path_length_limit: int | None = 50,
    allow: Iterable[Mapping[str, Any] | AllowRule] = (),
) -> None:
    """Has the operation that makes the first infinity or NaN raise, eagerly and in functions, in every thread.

    Functions that were traced before are checked as well. Calling it again takes the new settings.

    Args:
        stack_height_limit: So many frames of a stack are shown; the program's own are shown in any case. None: all.
        path_length_limit: So many characters of a path are shown, the last ones. None: all.
        allow: Where infinities are allowed: tables with the keys `op`, `name`, `line` and `nan`, see `AllowRule`; in
            addition to those in `[tool.tensordbg]` of the program's pyproject.toml.

    Raises:
        UsageError: A setting is not understood.
    """
    limits = limits_of(stack_height_limit, path_length_limit)
    _checking.start(limits, (*settings_of_program().allow, *rules_of(allow, "allow")))


def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began; functions that were checked run on as if they never had been."""
    _checking.stop()
