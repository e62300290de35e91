"""A digest of values for each of a run's steps, by which two processes are compared without reading their events.

There are never more than `MOST` entries: where more are needed, each comes to stand for twice as many steps. A digest
does not depend on the order in which its values came, so that threads may compute them as they like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

MOST = 512
"""So many entries at most."""

_MOST_STRIDE = 2**40

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Digests:
    """Entry k is of the steps from `stride` times k on, up to the next."""

    stride: int = 1
    counts: tuple[int, ...] = ()
    """How many values each stands for: only those of as many values can be compared."""
    digests: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.counts)

    def with_values(self, steps: npt.NDArray[np.int64], columns: Sequence[npt.NDArray[np.int64]]) -> Digests:
        """These with more values, each a row of columns, by its step."""
        coarse = self
        while int(steps.max()) // coarse.stride >= MOST:
            coarse = coarse.with_stride(coarse.stride * 2)
        entry = steps // coarse.stride
        length = max(len(coarse), int(entry.max()) + 1)
        counts = np.zeros(length, dtype=np.int64)
        digests = np.zeros(length, dtype=np.uint64)
        counts[: len(coarse)], digests[: len(coarse)] = coarse.counted, coarse.words
        counts += np.bincount(entry, minlength=length)
        np.add.at(digests, entry, _mixed([*columns, steps]))
        return Digests(coarse.stride, tuple(counts.tolist()), tuple(digests.tolist()))

    def with_stride(self, stride: int) -> Digests:
        """These with fewer entries, each of so many steps, which must be a multiple of what it is."""
        if stride == self.stride:
            return self
        entry = np.arange(len(self)) // (stride // self.stride)
        length = int(entry.max(initial=-1)) + 1
        counts, digests = np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.uint64)
        np.add.at(counts, entry, self.counted)
        np.add.at(digests, entry, self.words)
        return Digests(stride, tuple(counts.tolist()), tuple(digests.tolist()))

    def to_json(self) -> dict[str, Any]:
        """The object that stands for it in `sealed.json`."""
        return {"stride": self.stride, "counts": list(self.counts), "digests": list(self.digests)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Digests:
        """The reverse of `to_json`.

        Raises:
            LookupError, TypeError, ValueError: If it is none.
        """
        found = cls(int(row["stride"]), tuple(map(int, row["counts"])), tuple(map(int, row["digests"])))
        power = found.stride > 0 and found.stride & (found.stride - 1) == 0 and found.stride <= _MOST_STRIDE
        fits = len(found.digests) == len(found) <= MOST
        ranges = all(0 <= each < 2**62 for each in found.counts) and all(0 <= each < 2**64 for each in found.digests)
        if not (power and fits and ranges):
            raise ValueError("no digests of steps")
        return found

    @cached_property
    def counted(self) -> npt.NDArray[np.int64]:
        """The counts as an array."""
        return np.array(self.counts, dtype=np.int64)

    @cached_property
    def words(self) -> Words:
        """The digests as an array."""
        return np.array(self.digests, dtype=np.uint64)


def _mixed(columns: Sequence[npt.NDArray[np.int64]]) -> Words:
    """One word per row (the finalizer of SplitMix64 after each column)."""
    word = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        word = word + column.astype(np.int64).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return word
