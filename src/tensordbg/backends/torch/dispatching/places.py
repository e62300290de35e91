"""Asks for sites by the frames of a thread, the module, autocast and the forward site."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType, MappingProxyType
from typing import Any, NamedTuple

import torch

from tensordbg.backends.torch.attributes.set_elements import AROUND
from tensordbg.backends.torch.attributes.settings import Setting
from tensordbg.backends.torch.dispatching.makers import NOBODY, UNKNOWN, Maker
from tensordbg.backends.torch.dispatching.threads import Thread
from tensordbg.recording.catalog import RawFrame

Describe = Callable[..., int]
Fractions = tuple[tuple[Any, ...], ...]
Stack = tuple[tuple[CodeType, int], ...]

_DEEPEST = 192
_MOST_VARIANTS = 4
_OWN = f"{Path(__file__).parent}/"

_NOTHING = Maker()
_NO_SETTINGS: Mapping[str, Setting] = MappingProxyType({})
_AUTOCAST = ("cuda", "cpu")
_DTYPES = {torch.bfloat16: "BFloat16", torch.float16: "Half"}


class About(NamedTuple):
    """Marks that tell a site from others of its operation and stack."""

    place: int = -1
    autocast: str = ""
    owner: int = NOBODY
    written: bool = False
    number: float = 0.0
    settings: Mapping[str, Setting] = _NO_SETTINGS


class Places:
    """The sites that were asked for."""

    def __init__(self, describe: Describe, varies: Callable[[int], None]) -> None:
        """Asks `describe` for sites; `varies` is told of one whose settings that are fractions change."""
        self._describe = describe
        self._varies = varies
        self._known: dict[tuple[Any, ...], tuple[int, Fractions | None]] = {}
        self._variants: dict[tuple[Any, ...], int] = {}

    def site(self, name: str, stack: Stack, thread: Thread, about: About, first: Maker = _NOTHING) -> int:
        """The number of a site; below 0 where it is nothing of the program's own, or is not known."""
        forward = -1 if thread.node is None else thread.node.forward
        module = thread.modules.innermost()
        place = (name, stack, forward, module, *about[:4], about.number.hex())
        whole, fractions = _parts(about.settings)
        key = (*place, whole)
        known = self._known.get(key)
        if known is None and self._variants.get(place, 0) >= _MOST_VARIANTS:  # they change all the time
            key = (*place, ())
            known = self._known.get(key)
        if known is None:
            frames = [frame_of(*each) for each in stack]
            where = (forward, module, about.autocast, about.place, about.owner, int(about.written))
            made = (first.site if first.reference != UNKNOWN else -1, first.reference & 0xFFFF)
            asked = about.settings if key[-1] == whole else {}
            site = int(self._describe(name, frames, where, made, about.number, asked))
            self._known[key] = known = (site, fractions)
            self._variants[place] = self._variants.get(place, 0) + 1
        elif known[1] is not None and known[1] != fractions:
            self._known[key] = known = (known[0], None)
            if known[0] >= 0:
                self._varies(known[0])
        return known[0]


def _parts(settings: Mapping[str, Setting]) -> tuple[tuple[Any, ...], Fractions]:
    """The settings that are whole numbers and words, and those that are fractions."""
    whole: list[tuple[Any, ...]] = []
    fractions: list[tuple[Any, ...]] = []
    for name, value in settings.items():
        parts = value if isinstance(value, list) else [value]
        (fractions if any(isinstance(each, float) for each in parts) else whole).append((name, *parts))
    return tuple(whole), tuple(fractions)


def stack_of_thread() -> Stack:
    """The frames of this thread, the innermost first, without ours."""
    return tuple(_places(sys._getframe(1)))  # noqa: SLF001  a public function of this implementation


def _places(frame: FrameType | None) -> Iterator[tuple[CodeType, int]]:
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.endswith(AROUND):
        frame = frame.f_back
    depth = 0
    while frame is not None and depth < _DEEPEST:
        yield frame.f_code, frame.f_lasti
        depth += 1
        frame = frame.f_back


def frame_of(code: CodeType, instruction: int) -> RawFrame:
    """A frame as the catalog takes it."""
    line = code.co_firstlineno
    for begin, end, number in code.co_lines():
        if begin <= instruction < end and number is not None:
            line = number
            break
    return code.co_filename, line, code.co_name


def autocast_of(tensors: list[Any]) -> str:
    """The dtype of autocast that an operation runs under, empty where it is off.

    A program has it on for one kind of device. What autocast itself calls runs with it switched off: the tensors that
    it has cast tell.
    """
    for device in _AUTOCAST:
        if torch.is_autocast_enabled(device):
            return _DTYPES.get(torch.get_autocast_dtype(device), "Float")
    nested = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    for each in tensors if nested > 1 else ():
        if each.device.type in _AUTOCAST and each.dtype is torch.get_autocast_dtype(each.device.type):
            return _DTYPES.get(each.dtype, "Float")
    return ""
