"""Counts the steps of a training: each call of any optimizer's `step` ends one; says what an optimizer holds."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from tensordbg.backends.torch.program.scalars import number_in, with_numbers
from tensordbg.backends.torch.program.variables import Variables
from tensordbg.backends.torch.steps.optimizers import watch_steps
from tensordbg.model import NONE
from tensordbg.operations.frameworks import TORCH
from tensordbg.recording.optimizers import NotedOptimizers, SeenGroup, plain_settings
from tensordbg.recording.recorder import Recorder


class Steps:
    """The hook into all optimizers."""

    def __init__(self, variables: Variables, look_on: Callable[[bool], None]) -> None:
        """Prepares.

        Args:
            variables: Those of the program.
            look_on: Has operations and modules looked at, or not, from now on.
        """
        self._variables = variables
        self._look_on = look_on
        self._undo: Callable[[], None] | None = None
        self._seen: weakref.WeakKeyDictionary[Any, list[tuple[Any, ...]]] = weakref.WeakKeyDictionary()
        """What the groups of each optimizer held when it was last looked at."""

    def install(self, recorder: Recorder, observer: ModuleType) -> None:
        """Counts from 0 from now on; a step that the recording leaves out is left out as a whole."""
        optimizers = NotedOptimizers(recorder.fact)
        self._seen.clear()
        # Under a budget it is the budget that lets the observer rest, and a debugger wants to be told of all.
        rests = recorder.pace is None and recorder.watch is None
        step = recorder.training_step(TORCH)
        observer.set_step(step)

        passes = recorder.passing_training_steps(TORCH)
        passing = False  # over steps that a budget leaves out one after the other

        def before(optimizer: Any, _args: Any, _kwargs: Any) -> None:
            if passing:
                return
            with recorder.guard("looking at an optimizer"):
                self._variables.before_step(optimizer)
                if step != NONE and not self._is_as_before(optimizer):
                    optimizers.see(optimizer, step, self._groups(optimizer))
                observer.set_updating(True)

        def after(optimizer: Any, _args: Any, _kwargs: Any) -> None:
            nonlocal step, passing
            passing = passes()
            if passing:
                return
            with recorder.guard("ending a step"):
                observer.set_updating(False)
                self._variables.after_step(optimizer)
                step = recorder.training_step(TORCH)
                observer.set_step(step)
                if rests:
                    self._look_on(step != NONE)

        self._undo = watch_steps(before, after)

    def _is_as_before(self, optimizer: Any) -> bool:
        """Whether an optimizer holds the very objects that it held, and tensors of one element the same number."""
        held = [(*group.values(), *map(number_in, group.values())) for group in optimizer.param_groups]
        before = self._seen.get(optimizer, [])
        self._seen[optimizer] = held
        return len(held) == len(before) and all(
            len(mine) == len(other) and all(map(_is_same, mine, other))
            for mine, other in zip(held, before, strict=True)
        )

    def _groups(self, optimizer: Any) -> list[SeenGroup]:
        """How an optimizer is set; of a rate that is a tensor on another device nothing is known."""
        own: Mapping[str, Any] = getattr(optimizer, "settings", {})  # one of Keras's has them
        return [
            SeenGroup(
                plain_settings(with_numbers({**own, **group})), partial(self._variables.numbers_of, group["params"])
            )
            for group in optimizer.param_groups
        ]

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        if self._undo is not None:
            self._undo()
            self._undo = None


def _is_same(mine: object, other: object) -> bool:
    """Whether two are one object, or equal numbers: tensors are not to be compared, which would be an operation."""
    return mine is other or (type(mine) is float is type(other) and mine == other)
