from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tensordbg.capture.header import (
    FORMAT_VERSION,
    Commit,
    Header,
    StoredArgument,
    StoredTable,
    StoredTensor,
    StoredVariable,
    Suspect,
    Trouble,
)
from tensordbg.capture.tensors import packed_tensors
from tensordbg.capture.writer import TABLES_FILE, write_capture

BATCH = {"a0": np.arange(6, dtype=np.float32).reshape(2, 3)}
TABLES = {"t4_keys": np.array([b"a", b"b"], object), "t4_values": np.array([1.0, 2.0], np.float32)}
VARIABLES = {"v1": np.full((3, 2), 0.5), "v2": np.array(7, dtype=np.int64)}


def header_of(identifier: str = "0123abcd") -> Header:
    return Header(
        format=FORMAT_VERSION,
        id=identifier,
        program="train.py",
        command=("python", "train.py"),
        folder="/home/me/work",
        python="3.11",
        host="here",
        pid=12,
        created_ns=1_700_000_000_000_000_000,
        frameworks={"tensorflow": "2.21.0"},
        commit=Commit("abc", dirty=True),
        function="train_step",
        runtime_name="__inference_train_step_1",
        step=41,
        trouble=Trouble("non_finite", (Suspect("loss:0", "loss", "", "float32", (), 1, 0, 0),)),
        arguments=(
            StoredArgument(StoredTensor("x", "float32", (2, 3), "a0"), 0),
            StoredArgument(StoredTensor("words", "string", (2,), "", "texts are not kept"), 1),
        ),
        variables=(
            StoredVariable(StoredTensor("kernel", "float64", (3, 2), "v1"), 2, trainable=True),
            StoredVariable(StoredTensor("count", "int64", (), "v2"), 3),
        ),
        extra={"epoch": "3"},
        tables=(
            StoredTable(
                StoredTensor("table, keys", "string", (2,), "t4_keys"),
                StoredTensor("table, values", "float32", (2,), "t4_values"),
                4,
            ),
        ),
    )


@pytest.fixture
def write() -> Callable[..., Path]:
    def write(place: Path, identifier: str = "0123abcd") -> Path:
        files = {TABLES_FILE: packed_tensors(TABLES), "function.pb": b"\x00graph", "sites.jsonl": b'{"site": 0}\n'}
        return write_capture(place, header_of(identifier), BATCH, VARIABLES, files)

    return write
