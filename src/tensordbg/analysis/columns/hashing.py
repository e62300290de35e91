"""Look-up of rows by several whole numbers at once: they are mixed into one 64-bit key.

Among a million distinct rows the chance that any two share a key is about 1 in 30 million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.model import NONE


def mixed(*columns: Ints) -> Ints:
    """One key per row (the finalizer of SplitMix64 after each column)."""
    key = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        key = key + column.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key = key ^ (key >> np.uint64(31))
    return key.view(np.int64)


@dataclass(frozen=True)
class Lookup:
    """Keys and what they stand for."""

    keys: Ints
    values: Ints

    @classmethod
    def of(cls, keys: Ints, values: Ints | None = None) -> Lookup:
        """Index keys; by default each stands for its position."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], order if values is None else values[order])

    def find(self, keys: Ints) -> Ints:
        """The value of each key, `NONE` where there is none."""
        if not len(self.keys):
            return np.full(len(keys), NONE, dtype=np.int64)
        position = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[position] == keys, self.values[position], NONE)
