"""Keras's optimizers where PyTorch is its backend: they write variables themselves, and no `step` of PyTorch's runs.

Each step is one call of `keras.Optimizer.apply`, with the gradients that `backward` has left at the variables' tensors.
To a hook the optimizer looks like one of PyTorch's, with its groups of parameters and what it keeps for each.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tensordbg.backends.keras_optimizers import HELD, RATE, is_on, schedule_words
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.optimizers import plain_settings

_MODULE = "keras.src.optimizers.base_optimizer"
"""Where Keras 3 defines `keras.Optimizer.apply`, of which all of its optimizers' steps are calls."""
_OURS = "__tensordbg_plain__"

Before = Callable[[Any, Any, Any], Any]
"""(optimizer, arguments, named ones), as PyTorch calls its hooks."""
After = Callable[[Any, Any, Any], None]


class KerasSteps:
    """The hooks around the steps of Keras's optimizers, of which several parts of tensordbg may have one each."""

    def __init__(self) -> None:
        self._hooks: list[tuple[Before, After | None]] = []
        self._watch: ImportWatch | None = None
        self._known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._under_way = False

    def watch(self, before: Before, after: After | None) -> Callable[[], None]:
        """Calls hooks around each step from now on, and returns what takes them out again."""
        hook = (before, after)
        self._hooks.append(hook)
        if self._watch is None:
            self._watch = ImportWatch({_MODULE: self._replace})
            self._watch.start()

        def undo() -> None:
            if hook in self._hooks:
                self._hooks.remove(hook)
            if not self._hooks:
                self._restore()

        return undo

    def _replace(self) -> None:
        base = sys.modules[_MODULE].BaseOptimizer
        plain = base.apply

        @functools.wraps(plain)
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            if self._under_way or not is_on(optimizer, "torch"):
                return plain(optimizer, grads, trainable_variables)
            variables = _trained(optimizer, trainable_variables)
            if not variables or len(grads) != len(variables):
                return plain(optimizer, grads, trainable_variables)
            return self._step(optimizer, variables, lambda: plain(optimizer, grads, variables))

        setattr(apply, _OURS, plain)
        base.apply = apply

    def _step(self, optimizer: Any, variables: Sequence[Any], step: Callable[[], Any]) -> Any:
        seen = self._known.get(optimizer)
        if seen is None:
            seen = self._known[optimizer] = as_of_torch(optimizer)
        seen.variables = variables
        parameters = seen.param_groups[0]["params"]
        had_gradients = any(each.grad is not None for each in parameters)
        hooks = list(self._hooks)
        for before, _ in hooks:
            before(seen, (seen,), {})
        self._under_way = True  # an optimizer that scales losses calls another's
        try:
            # A hook that takes the gradients away has the step left out, as PyTorch's optimizers leave it out.
            hidden = had_gradients and all(each.grad is None for each in parameters)
            result = None if hidden else step()
        finally:
            self._under_way = False
        for _, after in hooks:
            if after is not None:
                after(seen, (seen,), {})
        return result

    def _restore(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        module = sys.modules.get(_MODULE)
        plain = None if module is None else getattr(module.BaseOptimizer.apply, _OURS, None)
        if module is not None and plain is not None:
            module.BaseOptimizer.apply = plain
        self._known.clear()


class _KerasOptimizer:
    """One of Keras's optimizers as PyTorch's look."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = weakref.ref(optimizer)
        self.variables: Sequence[Any] = ()
        """Those of Keras's that the step under way trains."""

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """One group of all tensors that are trained."""
        return [{"params": [each.value for each in self.variables]}]

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the optimizer, with its rate as the tensor that holds it, or as the words of its schedule."""
        told = vars(self._optimizer())
        rate = told.get(HELD)
        return {**plain_settings(told), RATE: schedule_words(rate) or getattr(rate, "_value", None)}

    @property
    def names(self) -> Mapping[int, str]:
        """Names that Keras has for the tensors that are trained, by their identity."""
        return {id(each.value): each.path for each in self.variables}

    @property
    def state(self) -> Mapping[Any, Mapping[str, Any]]:
        """State that the optimizer keeps for each tensor, by name: Keras calls it as the variable, and what it is."""
        optimizer = self._optimizer()
        owners = {each.path.replace("/", "_"): each.value for each in self.variables}
        state: dict[Any, dict[str, Any]] = {value: {} for value in owners.values()}
        for kept in () if optimizer is None else optimizer.variables:
            owner = next((each for each in _beginnings(kept.name) if each in owners), None)
            if owner is not None:
                state[owners[owner]][kept.name.removeprefix(f"{owner}_")] = kept.value
        return state


def as_of_torch(optimizer: Any) -> Any:
    """Returns one of Keras's optimizers as PyTorch's look, of a class of the same name."""
    kind = type(optimizer)
    return type(kind.__name__, (_KerasOptimizer,), {"__module__": kind.__module__})(optimizer)


def _beginnings(name: str) -> Iterator[str]:
    """Yields the beginnings of a name that end before a `_`, the longest first."""
    while "_" in name:
        name = name.rpartition("_")[0]
        yield name


def _trained(optimizer: Any, variables: Any) -> list[Any]:
    return list(getattr(optimizer, "_trainable_variables", ()) if variables is None else variables)


KERAS_STEPS = KerasSteps()
"""The hooks of this process."""
