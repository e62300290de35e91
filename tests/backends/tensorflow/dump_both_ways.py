"""A program whose tensors are dumped by TensorFlow's `enable_dump_debug_info` and by tensordbg's, with equal arguments.

`python dump_both_ways.py OUT` makes OUT/<name>/theirs and OUT/<name>/ours for each set of arguments. Each runs in a
process of its own, as TensorFlow's function can be called only once in a process; TensorFlow is imported only once.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import tensorflow as tf

import tensordbg.tensorflow
from tests.importers.tfdbg2.both_ways import MODES, in_a_process, train

STEPS = 4
LAST = 40

ARGUMENTS: dict[str, dict[str, Any]] = {
    **{mode: {"tensor_debug_mode": mode} for mode in MODES},
    "op_regex": {"tensor_debug_mode": "FULL_TENSOR", "op_regex": "Mul|Log|Unpack"},
    "tensor_dtypes": {"tensor_debug_mode": "FULL_TENSOR", "tensor_dtypes": (tf.int32, "bool")},
    "both_filters": {
        "tensor_debug_mode": "FULL_TENSOR",
        "op_regex": "(Add|Less)",
        "tensor_dtypes": lambda dtype: dtype.is_integer,
    },
}
"""Sets of arguments, with the circular buffer off."""


def theirs(folder: Path, **arguments: Any) -> None:
    tf.debugging.experimental.enable_dump_debug_info(str(folder), **arguments)
    train(STEPS)
    tf.debugging.experimental.disable_dump_debug_info()


def ours(folder: Path, **arguments: Any) -> None:
    tensordbg.tensorflow.enable_dump_debug_info(folder, **arguments)
    train(STEPS)
    tensordbg.tensorflow.disable_dump_debug_info()


def killed(folder: Path) -> None:
    tensordbg.tensorflow.enable_dump_debug_info(folder, "FULL_HEALTH", LAST)
    train(STEPS)
    os.kill(os.getpid(), signal.SIGKILL)


def both(out: Path, name: str, **arguments: Any) -> None:
    for record in (theirs, ours):
        in_a_process(partial(record, out / name / record.__name__, **arguments))


if __name__ == "__main__":
    root = Path(sys.argv[1])
    for each, wanted in ARGUMENTS.items():
        both(root, each, circular_buffer_size=-1, **wanted)
    both(root, "circular", circular_buffer_size=LAST, tensor_debug_mode="FULL_HEALTH")
    in_a_process(lambda: killed(root / "killed"))
