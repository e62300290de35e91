"""Who made which tensor, and who wrote last into which memory.

A tensor is known by its identity as long as it lives; where somebody has written into its memory since, that counts.
What nobody has written yet (`empty`) is known by its memory.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

from tensordbg.backends.torch.dispatching.tensors import fills_memory, memory_of, storage_of

UNKNOWN = -1
NOBODY = -1
_FEW = 512
_MOST_WRITERS = 16


class Maker(NamedTuple):
    """The execution that made a tensor, with all that is asked of it."""

    reference: int = UNKNOWN
    """As an execution's inputs are named."""
    site: int = -1
    bad: bool = False
    """Whether it is known not to be finite."""
    owner: int = NOBODY
    """The variable whose gradient or update it is."""
    order: int = 0
    """Rises with everything that is made."""


class Known(NamedTuple):
    """All that is known of a tensor that an operation takes."""

    maker: Maker = Maker()
    before: tuple[int, ...] = ()
    """What wrote into other parts of its memory before that."""
    from_outside: bool = False
    """Nothing that was recorded made it."""
    unwritten: bool = False
    """Its memory holds whatever was there before."""


@dataclass
class _Memory:
    alive: Any
    """A weak reference, which keeps the address from being used again."""
    writers: tuple[Maker, ...] = ()
    """Since all of it was written, the last one first; none where nobody has."""


class Makers:
    """Knows who made all tensors; may be asked from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._order = 0
        self._made: dict[int, tuple[weakref.ref[Any], Maker]] = {}
        self._memory: dict[int, _Memory] = {}
        self._variables: dict[int, tuple[Any, int, int]] = {}
        """By where their elements begin: what keeps the memory's address, the number, and the size."""
        self._most = {"made": _FEW, "memory": _FEW}

    def find(self, tensor: Any) -> Known:
        """Finds who made a tensor."""
        with self._lock:
            made, memory = self._made_by(tensor), self._memory_of(tensor)
            if memory is None:
                return Known(from_outside=True) if made is None else Known(made)
            if not memory.writers:
                return Known(unwritten=True)
            last = memory.writers[0]
            if made is not None and made.order >= last.order:
                return Known(made)
            before = [each.reference for each in memory.writers[1:] if each.reference != last.reference]
            if made is not None and made.reference not in (*before, last.reference):
                before.append(made.reference)
            return Known(last, tuple(before))

    def made(self, tensor: Any, maker: Maker) -> None:
        """Remembers what made a tensor or wrote into it."""
        with self._lock:
            self._order += 1
            maker = maker._replace(order=self._order)
            self._remember(tensor, maker)
            memory = self._keep(tensor)
            if memory is not None:
                whole = not memory.writers or fills_memory(tensor)
                memory.writers = (maker, *(() if whole else memory.writers))[:_MOST_WRITERS]

    def is_unwritten(self, tensor: Any) -> None:
        """From now on its memory holds whatever was there before."""
        with self._lock:
            self._made.pop(id(tensor), None)
            memory = self._keep(tensor)
            if memory is not None:
                memory.writers = ()

    def forget(self, tensor: Any) -> None:
        """Somebody writes into it who is not seen: it counts as coming from outside when it is used next."""
        with self._lock:
            self._made.pop(id(tensor), None)
            self._memory.pop(memory_of(tensor), None)

    def rebind(self, tensor: Any) -> None:
        """It has other memory than before."""
        with self._lock:
            self._made.pop(id(tensor), None)

    def own(self, tensor: Any, variable: int) -> Maker:
        """Says whose gradient a tensor is, and returns what made it."""
        with self._lock:
            memory, made = self._memory_of(tensor), self._made_by(tensor)
            written = memory is not None and bool(memory.writers)
            if made is None and not written:
                return Maker()
            maker = made or (memory.writers[0] if memory is not None else Maker())
            owned = maker._replace(owner=variable)
            self._remember(tensor, owned)
            if memory is not None and written and memory.writers[0].reference == maker.reference:
                memory.writers = (memory.writers[0]._replace(owner=variable), *memory.writers[1:])
            return owned

    def is_variable(self, tensor: Any, variable: int) -> None:
        """From now on a tensor's memory is a variable's."""
        with self._lock:
            if memory_of(tensor) and tensor.numel():
                self._variables[tensor.data_ptr()] = (_weak(tensor), variable, tensor.numel())

    def variable_of(self, tensor: Any) -> int:
        """The variable that a tensor is, whatever object stands for it."""
        with self._lock:
            if not self._variables or not memory_of(tensor) or not tensor.numel():
                return NOBODY
            alive, variable, size = self._variables.get(tensor.data_ptr(), (None, NOBODY, 0))
            return variable if size == tensor.numel() and not alive.expired() else NOBODY

    def bad_alive(self) -> list[int]:
        """References to what is known not to be finite and is still there."""
        with self._lock:
            made = [maker for tensor, maker in self._made.values() if tensor() is not None]
            return [each.reference for each in made if each.bad and each.reference != UNKNOWN]

    def _made_by(self, tensor: Any) -> Maker | None:
        found = self._made.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def _memory_of(self, tensor: Any) -> _Memory | None:
        found = self._memory.get(memory_of(tensor))
        return None if found is None or found.alive.expired() else found

    def _remember(self, tensor: Any, maker: Maker) -> None:
        self._made[id(tensor)] = (weakref.ref(tensor), maker)
        if len(self._made) >= self._most["made"]:
            self._made = {key: each for key, each in self._made.items() if each[0]() is not None}
            self._most["made"] = max(_FEW, 2 * len(self._made))

    def _keep(self, tensor: Any) -> _Memory | None:
        key = memory_of(tensor)
        found = self._memory.get(key)
        if not key or (found is not None and not found.alive.expired()):
            return found
        if len(self._memory) >= self._most["memory"]:
            self._memory = {place: each for place, each in self._memory.items() if not each.alive.expired()}
            self._most["memory"] = max(_FEW, 2 * len(self._memory))
        kept = self._memory[key] = _Memory(_weak(tensor))
        return kept


def _weak(tensor: Any) -> Any:
    from torch.multiprocessing.reductions import StorageWeakRef

    return StorageWeakRef(storage_of(tensor))  # type: ignore[no-untyped-call]
