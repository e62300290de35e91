"""Notes what the outermost modules are called with between two steps, and what such a call changes."""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensordbg.backends.torch.captured.generators import CPU, state_of
from tensordbg.backends.torch.keras.layers import is_symbolic
from tensordbg.backends.torch.module_frames import calls_module, is_in_module_call

_MOST = 64
"""So many calls are noted; of those before nothing is kept."""

_SMALL = 4096
"""So many elements are copied in no time."""


@dataclass(frozen=True)
class Call:
    """One call of an outermost module, while gradients are noted."""

    number: int
    module: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    versions: tuple[int, ...]
    """Of the tensors in it, in the order of `tensors_in`: how often each had been written."""
    random: Mapping[str, Any]
    """The states of the generators before it, by device."""
    autocast: str
    """The dtype, empty where autocast is off."""


class Calls:
    """The hook into the calls of modules."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]], begin: Callable[[], None]) -> None:
        """Notes nothing yet.

        Args:
            guard: Runs code of ours inside the program.
            begin: Is called before the first call of each step.
        """
        self._guard = guard
        self._begin = begin
        self.begun = False
        """Whether there was a call since the last step."""
        self._handle: Any = None
        self._inner: set[int] = set()
        self._outer: weakref.WeakKeyDictionary[Any, Buffers] = weakref.WeakKeyDictionary()
        self._noted: list[Call] = []
        self._number = 0

    def install(self) -> None:
        """Notes calls from now on."""
        import torch
        from torch.nn.modules.module import register_module_forward_pre_hook

        is_compiling = torch.compiler.is_compiling
        inner = self._inner

        def before(module: Any, _: Any) -> None:
            if is_compiling() or id(module) in inner or not torch.is_grad_enabled():
                return
            with self._guard("noting a call"):
                self._note(module, sys._getframe(1))  # noqa: SLF001

        # Compiled modules warn of any such hook; this one does nothing where it comes a second time.
        warnings.filterwarnings("ignore", r"Using `torch\.compile\(module\)` when there are global hooks", UserWarning)
        self._handle = register_module_forward_pre_hook(before)

    def uninstall(self) -> None:
        """Notes none from now on."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self._noted.clear()

    @property
    def number(self) -> int:
        """How many there were."""
        return self._number

    def since(self, number: int) -> list[Call]:
        """The calls since there were so many."""
        return [call for call in self._noted if call.number >= number]

    def forget_before(self, number: int) -> None:
        """Keeps none of those before there were so many."""
        self._noted = self.since(number)

    def buffers(self, module: Any) -> Buffers:
        """Those of an outermost module that was called."""
        return self._outer[module]

    def step_has_ended(self) -> None:
        """Takes what buffers hold now for what they held before the next step."""
        self.begun = False
        for buffers in self._outer.values():
            buffers.kept = False

    def _note(self, module: Any, frame: FrameType) -> None:

        if _is_called_by_a_module(frame):  # of one that does not say that it has it, as Keras's models of their layers
            return
        known = self._outer.get(module)
        if known is None:
            known = self._outer[module] = Buffers(module)
            inner = {id(each) for each in module.modules() if each is not module}
            self._inner.update(inner)
            weakref.finalize(module, self._inner.difference_update, inner)
        known.keep()
        given = _call_arguments(frame)
        if given is None or is_symbolic(given):
            return
        args, kwargs = given
        versions = tuple(version_of(each) for each in tensors_in((args, kwargs)))
        self._noted.append(Call(self._number, module, args, kwargs, versions, _random_states(), _autocast()))
        self._number += 1
        del self._noted[:-_MOST]
        if not self.begun:
            self.begun = True
            self._begin()


class Buffers:
    """The buffers of a module as they were before the step.

    A small one is copied before each step, as a batch normalization writes its statistics without PyTorch counting it;
    a large one, such as a mask, where it has been written since it was copied.
    """

    def __init__(self, module: Any) -> None:
        """Knows which there are."""
        self._places = [
            (f"{path}.{name}" if path else name, each._buffers, name)  # noqa: SLF001  as the module keeps them
            for path, each in module.named_modules()
            for name in each._buffers  # noqa: SLF001
        ]
        self._copies: dict[str, _Copy] = {}
        self.kept = False
        """Whether this step's were kept."""

    def keep(self) -> None:
        """Keeps what they hold now, once in a step."""
        import torch
        from torch.nn.parameter import is_lazy

        if self.kept or not self._places:
            return
        self.kept = True
        again = []
        for name, holder, key in self._places:
            tensor = holder.get(key)
            if tensor is None or is_lazy(tensor):
                self._copies.pop(name, None)
                continue
            known = self._copies.get(name)
            if known is None or known.tensor is not tensor or known.copy.shape != tensor.shape:
                self._copies[name] = _Copy(tensor, version_of(tensor), tensor.detach().clone())
            elif tensor.numel() <= _SMALL:
                again.append(known)
            elif known.version != version_of(tensor):
                self._copies[name] = _Copy(tensor, version_of(tensor), tensor.detach().clone())
        if again:
            with torch.no_grad():
                torch._foreach_copy_([each.copy for each in again], [each.tensor for each in again])

    def before(self) -> Iterator[tuple[str, Any]]:
        """Each as it was before the step, by name."""
        for name, each in self._copies.items():
            yield name, each.copy

    def tensor(self, name: str) -> Any:
        """A buffer itself."""
        return self._copies[name].tensor

    def put_back(self) -> None:
        """Gives those that the step has changed their elements back."""
        import torch

        with torch.no_grad():
            for each in self._copies.values():
                if each.tensor.numel() <= _SMALL or version_of(each.tensor) != each.version:
                    each.tensor.copy_(each.copy)


@dataclass(frozen=True)
class _Copy:
    """A buffer, and what it held."""

    tensor: Any
    version: int
    copy: Any


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors in a value, also in tuples, lists, mappings and objects that are mappings."""
    from torch import Tensor

    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        for each in value:
            yield from tensors_in(each)


def version_of(tensor: Any) -> int:
    """Tells how often a tensor has been written; views of one memory count as one."""
    return 0 if tensor.is_inference() else int(tensor._version)  # noqa: SLF001


def is_unwritten(call: Call) -> bool:
    """Whether nobody has written into what a module was given since."""
    return call.versions == tuple(version_of(each) for each in tensors_in((call.args, call.kwargs)))


def _call_arguments(frame: FrameType | None) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """What the module was called with, as PyTorch's own function has it at hand when it calls a hook."""
    while frame is not None and is_in_module_call(frame):
        found = frame.f_locals
        if "args" in found and "kwargs" in found:
            return tuple(found["args"]), dict(found["kwargs"])
        frame = frame.f_back
    return None


def _is_called_by_a_module(frame: FrameType | None) -> bool:
    while frame is not None and is_in_module_call(frame):
        frame = frame.f_back
    while frame is not None:
        if calls_module(frame):
            return True
        frame = frame.f_back
    return False


def _autocast() -> str:
    """The dtype into which autocast has operations compute, empty where it is off."""
    import torch

    for kind in ("cuda", "cpu"):
        if torch.is_autocast_enabled(kind):
            return str(torch.get_autocast_dtype(kind))
    return ""


def _random_states() -> dict[str, Any]:
    """The states of the generators that are drawn from by default, where a GPU is used that of the current one too."""
    import torch

    devices = [CPU]
    if torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():  # type: ignore[no-untyped-call]
        devices.append(f"cuda:{torch.cuda.current_device()}")
    return {device: state_of(device) for device in devices}
