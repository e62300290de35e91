"""The functions of the event log that the compiled observer calls too, by ctypes: the same memory, the same health."""

from __future__ import annotations

import ctypes
from typing import Any

from tensordbg import _native

_NAME = b"tensordbg.log_table.2"
"""See observer/log_table.h, which the structures here follow."""

_INTEGER = ctypes.c_int64
_INTEGERS = ctypes.POINTER(_INTEGER)


class Event(ctypes.Structure):
    """A tensor that is recorded."""

    _fields_ = (
        ("execution", _INTEGER),
        ("site", ctypes.c_uint32),
        ("slot", ctypes.c_uint16),
        ("device", ctypes.c_uint16),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("dims", _INTEGERS),
        ("strides", _INTEGERS),
        ("data", ctypes.c_void_p),
        ("health", ctypes.c_void_p),
        ("small", ctypes.c_void_p),
    )


class _Table(ctypes.Structure):
    _fields_ = (
        ("recording", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("begin", ctypes.CFUNCTYPE(_INTEGER, ctypes.c_uint32, _INTEGER, _INTEGERS, ctypes.c_size_t)),
        ("tensor", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Event))),
        ("device", ctypes.CFUNCTYPE(ctypes.c_uint16, ctypes.c_char_p)),
        ("measures", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_int)),
    )


class LogTable:
    """The log, as compiled parts see it."""

    def __init__(self) -> None:
        get: Any = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        self._capsule = _native.log_table()
        table: Any = _Table.from_address(get(self._capsule, _NAME))
        self.recording = table.recording
        """Whether anything is recorded now."""
        self._begin, self._tensor, self._device = table.begin, table.tensor, table.device
        self._devices: dict[str, int] = {}

    def begin(self, site: int, step: int, inputs: list[int]) -> int:
        """Records that an operation has run, and returns its execution; -1 where nothing is recorded."""
        return int(self._begin(site, step, (_INTEGER * len(inputs))(*inputs), len(inputs)))

    def append(self, event: Event) -> bool:
        """Records one tensor of an execution, and returns whether it is known not to be finite."""
        return bool(self._tensor(ctypes.byref(event)))

    def device(self, name: str) -> int:
        """The number of a device's name."""
        if name not in self._devices:
            self._devices[name] = int(self._device(name.encode()))
        return self._devices[name]


def integers(values: Any) -> Any:
    """Numbers as the log takes them."""
    return (_INTEGER * len(values))(*values)
