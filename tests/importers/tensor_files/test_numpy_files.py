from __future__ import annotations

from pathlib import Path

import numpy as np

from tensordbg.importers.tensor_files.numpy_files import array_of, arrays_of
from tensordbg.opening import open_regular


def test_the_arrays_of_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", **{"layer/w": np.ones((2, 3), order="F"), "n": np.arange(3)})
    with open_regular(tmp_path / "x.npz") as file:
        found = arrays_of(file)
        assert [(each.name, each.dtype, each.shape, each.column_major) for each in found] == [
            ("layer/w", "float64", (2, 3), True),
            ("n", "int64", (3,), False),
        ]
        assert found[1].pieces is not None
        assert np.concatenate(list(found[1].pieces())).tolist() == [0, 1, 2]


def test_a_single_array(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    with open_regular(tmp_path / "x.npy") as file:
        assert array_of(file, "x").shape == (2, 3)
