from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tensordbg.importers.tensor_files.safetensors_file import list_tensors
from tensordbg.opening import open_regular


def test_a_file_of_the_formats_own_library(tmp_path: Path) -> None:
    save_file({"a": np.ones((2, 3), np.float32), "b": np.zeros(4)}, tmp_path / "x.safetensors", {"note": "x"})
    with open_regular(tmp_path / "x.safetensors") as file:
        tensors = {tensor.name: tensor for tensor in list_tensors(file)}
        assert {(each.name, each.dtype, each.shape) for each in tensors.values()} == {
            ("a", "float32", (2, 3)),
            ("b", "float64", (4,)),
        }
        pieces = tensors["a"].pieces
        assert pieces is not None
        assert np.concatenate(list(pieces())).tolist() == [1.0] * 6
