"""The variables of PyTorch programs: parameters and buffers of modules, what optimizers train, and what they keep.

They are looked up where a module is called that was not called before, and in the steps of an optimizer whose number is
a power of two, so they cost a training nothing. The observer then knows their memory: whatever writes there writes the
variable, and it tells which gradient autograd adds up for which of them.
"""

from __future__ import annotations

import json
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.describing import slot_in_site
from tensordbg.backends.torch.keras.layers import plain_name
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.frame_values import values_in

_ENOUGH_STEPS = 4
"""In fewer steps of an optimizer it says nothing that a parameter had no gradient."""

_DEEPEST = 32
"""So many frames are searched for the name that the program has for a tensor."""


class Variables:
    """The variables of one process's PyTorch programs."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.observer: ModuleType | None = None
        """That of the recording, None before the first."""
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        """By the identity of a tensor."""
        self._places: dict[int, int] = {}
        """By the number of a variable: where its elements were when the observer was told of it."""
        self._names: set[str] = set()
        self._steps: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._with_gradient: set[int] = set()
        """The variables that had a gradient in a step of their optimizer that was looked at."""
        self._lazy: list[tuple[weakref.ref[Any], str]] = []
        """Modules with parameters that have no shape yet, as those of `LazyLinear`, and their places."""

    def install(self, observer: ModuleType) -> None:
        """Tells an observer of variables from now on; it knows none yet."""
        self.observer = observer
        self._places.clear()
        self._steps.clear()
        self._with_gradient.clear()
        self._names.clear()
        self._lazy.clear()
        self._numbers = {key: each for key, each in self._numbers.items() if each[0]() is not None}

    def add_module(self, module: Any, place: str = "") -> None:
        """Adds the parameters and buffers of a module, by their names in it, and what else it holds to be trained.

        Args:
            module: The module.
            place: Where another module holds it in a plain list, such as `layers[0]`, so that it has it not as a part.
        """
        named = dict(module.named_parameters())
        prefix = f"{place}." if place else self._prefix(module, [*named])
        buffers = dict(module.named_buffers())
        for name, tensor in named.items():
            if not is_lazy(tensor):
                self._add(tensor, prefix + plain_name(name), trainable=bool(tensor.requires_grad))
        for name, tensor in buffers.items():
            if not is_lazy(tensor):
                self._add(tensor, prefix + name, trainable=False)
        if any(map(is_lazy, [*named.values(), *buffers.values()])):
            self._lazy.append((weakref.ref(module), place))
        for name, tensor in held_plainly(module, _is_trained_leaf):
            if self._number(tensor) is None:
                self._add(tensor, prefix + name, trainable=True)

    def add_shaped(self) -> None:
        """Adds the parameters and buffers that have got a shape by now, as a first call gives it to lazy modules."""
        waiting, self._lazy = self._lazy, []
        for reference, place in waiting:
            if (module := reference()) is not None:
                self.add_module(module, place)

    def add_tensor(self, tensor: Any, name: str, *, trainable: bool) -> int:
        """Adds a tensor under a name, and returns its number."""
        self._add(tensor, name, trainable=trainable)
        return self._numbers[id(tensor)][1]

    def numbers_of(self, tensors: Iterable[Any]) -> list[int]:
        """Returns the numbers of those tensors that are known."""
        return [number for number in map(self._number, tensors) if number is not None]

    def stand_for(self, tensor: Any, number: int) -> None:
        """Takes a tensor for a variable that is known, whose own tensor is no longer used."""
        self._numbers[id(tensor)] = (weakref.ref(tensor), number)
        self._tell(tensor, number)

    def before_step(self, optimizer: Any) -> None:
        """Adds what an optimizer trains and no module has, and sees what is trained now."""
        if not _is_power_of_two(self._steps.get(optimizer, 0) + 1):
            return
        names: Mapping[int, str] | None = getattr(optimizer, "names", None)  # one of Keras's has them
        for number, tensor in enumerate(_trained(optimizer)):
            known = self._number(tensor)
            if known is None:
                names = _names_in_program() if names is None else names
                name = names.get(id(tensor)) or f"{type(optimizer).__name__}.{number}"
                self._add(tensor, name, trainable=bool(tensor.requires_grad))
            else:
                self._catalog.set_trainable(known, bool(tensor.requires_grad))
                self._tell(tensor, known)

    def after_step(self, optimizer: Any) -> None:
        """Adds what an optimizer keeps for each parameter, such as a mean of its gradients."""
        steps = self._steps.get(optimizer, 0) + 1
        self._steps[optimizer] = steps
        if not _is_power_of_two(steps):
            return
        without: dict[int, int] = {}
        state = optimizer.state
        for tensor in _trained(optimizer):
            owner = self._number(tensor)
            if owner is None:
                continue
            if tensor.grad is not None or not tensor.requires_grad:
                self._with_gradient.add(owner)
            without[owner] = 0 if owner in self._with_gradient or steps < _ENOUGH_STEPS else steps
            for key, kept in state.get(tensor, {}).items():
                if getattr(kept, "shape", None) == tensor.shape and kept.dim() > 0:
                    self._add(kept, f"{self._catalog.variable(owner).name}/{key}", trainable=False)
        if steps >= _ENOUGH_STEPS:
            self._catalog.set_without_gradient(without)

    def set_gradient(self, variable: int, site: int, slot: int) -> None:
        """Says which output is the gradient of a variable; the observer calls it, once for each."""
        self._catalog.set_gradient_for(site, slot_in_site(self._catalog, site, slot), variable)

    def _add(self, tensor: Any, name: str, *, trainable: bool) -> None:
        known = self._number(tensor)
        if known is None:
            known = self._catalog.add_variable(
                self._unused(name), str(tensor.dtype).removeprefix("torch."), json.dumps(list(tensor.shape))
            )
            self._numbers[id(tensor)] = (weakref.ref(tensor), known)
        elif self._catalog.variable(known).name in name and name not in self._names:
            # First a part of a model was called, now all of it.
            self._names.discard(self._catalog.variable(known).name)
            self._catalog.set_variable_name(known, self._unused(name))
        self._names.add(self._catalog.variable(known).name)
        self._catalog.set_trainable(known, trainable)
        self._tell(tensor, known)

    def _tell(self, tensor: Any, number: int) -> None:
        place = _place(tensor)
        if self.observer is not None and place and self._places.get(number) != place:
            self._places[number] = place
            self.observer.add_variable(tensor, number)

    def _number(self, tensor: Any) -> int | None:
        known = self._numbers.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def _unused(self, name: str) -> str:
        found, count = name, 1
        while found in self._names:
            count += 1
            found = f"{name}#{count}"
        self._names.add(found)
        return found

    def _prefix(self, module: Any, names: list[str]) -> str:
        """What tells the parameters of one model from those of another that has the same names; mostly nothing."""
        tensors = dict(module.named_parameters())
        taken = [name for name in names if name in self._names and self._number(tensors[name]) is None]
        if not taken:
            return ""
        called = _names_in_program().get(id(module)) or type(module).__name__
        return "" if any(f"{called}.{name}" in self._names for name in names) else f"{called}."


def is_lazy(tensor: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    from torch.nn import parameter

    return bool(parameter.is_lazy(tensor))


def _place(tensor: Any) -> int:
    """Where the elements of a tensor begin; 0 where it has none of its own."""
    try:
        return int(tensor.data_ptr())
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return 0


def held_plainly(module: Any, wanted: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Finds what a module, or one in it, holds as a plain attribute or in a plain list, with the words to reach it."""
    for path, each in module.named_modules():
        before = f"{path}." if path else ""
        for name, value in vars(each).items():
            if name in _PARTS:
                continue
            if wanted(value):
                yield f"{before}{name}", value
            elif type(value) in (list, tuple, dict):
                yield from ((f"{before}{name}{part}", inner) for part, inner in _parts(value) if wanted(inner))


def _is_trained_leaf(value: Any) -> bool:
    return bool(getattr(value, "requires_grad", False) and getattr(value, "is_leaf", False))


def _is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _trained(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from group["params"]


def _names_in_program() -> Mapping[int, str]:
    """The names that the frames of the program have for what they hold, by identity; the innermost frame's count."""
    found: dict[int, str] = {}
    plumbing = tuple(f"{Path(sys.modules[name].__file__ or '/').parent}/" for name in ("torch", "tensordbg"))
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  a public function of this implementation
    for _ in range(_DEEPEST):
        if frame is None:
            break
        if not frame.f_code.co_filename.startswith(plumbing):
            for name, value in [*values_in(frame).items(), *frame.f_globals.items()]:
                found.setdefault(id(value), name)
                for part, inner in _parts(value):
                    found.setdefault(id(inner), f"{name}{part}")
        frame = frame.f_back
    return found


_MOST_PARTS = 1000
_PARTS = frozenset({"_buffers", "_modules", "_parameters"})
"""Where a module keeps what it knows to be its parts."""


def _parts(value: Any) -> list[tuple[str, Any]]:
    """What a plain list, a dictionary or an object of the program holds, with the words that reach it."""
    if type(value) in (list, tuple) and len(value) < _MOST_PARTS:
        return [(f"[{number}]", each) for number, each in enumerate(value)]
    if type(value) is dict and len(value) < _MOST_PARTS:
        return [(f"[{key!r}]", each) for key, each in value.items() if isinstance(key, (str, int))]
    held = getattr(value, "__dict__", None)
    if type(held) is not dict or isinstance(value, (type, ModuleType)) or len(held) >= _MOST_PARTS:
        return []
    return [(f".{name}", each) for name, each in held.items()]
