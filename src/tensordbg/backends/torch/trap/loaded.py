"""Knows which tensors are as a `DataLoader` gave them: nobody has made them anew, or written into them since."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.trap.calls import tensors_in, version_of

_MOST = 512
"""Of so many tensors it is known, the latest ones."""


class Loaded:
    """The tensors of the last batches, none of which is kept alive."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._known: deque[tuple[Any, int]] = deque(maxlen=_MOST)
        """A weak reference to each memory, and how often that had been written."""

    def watch(self) -> Callable[[], None]:
        """Notes batches from now on, and returns what ends that."""
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        owner: Any = _BaseDataLoaderIter
        plain = owner.__next__

        @functools.wraps(plain)
        def following(batches: Any) -> Any:
            batch = plain(batches)
            self.note(batch)
            return batch

        owner.__next__ = following

        def undo() -> None:
            if owner.__next__ is following:
                owner.__next__ = plain

        return undo

    def note(self, batch: Any) -> None:
        """Notes the tensors of a batch."""
        from torch.multiprocessing.reductions import StorageWeakRef

        try:
            for tensor in tensors_in(batch):
                reference = StorageWeakRef(tensor.untyped_storage())  # type: ignore[no-untyped-call]
                self._known.append((reference, version_of(tensor)))
        except Exception:  # noqa: BLE001  a batch may be anything, and the program is to go on with it
            return

    def gave(self, tensor: Any) -> bool:
        """Whether a tensor shows a memory that came so in a batch."""
        try:
            memory, version = tensor.untyped_storage()._cdata, version_of(tensor)  # noqa: SLF001
        except (RuntimeError, NotImplementedError):  # it has none
            return False
        # The number of a memory is given to no other one as long as there is a reference to it, though a weak one.
        return any(reference.cdata == memory and written == version for reference, written in self._known)
