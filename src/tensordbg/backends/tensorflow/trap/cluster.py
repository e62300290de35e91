"""Tells the other processes of a training that this one ends, and why."""

from __future__ import annotations

import contextlib

from tensordbg.backends.tensorflow.internals import context
from tensordbg.trapping.plan import MARK


def reported(error: BaseException) -> str:
    """The message of another process that an error of TensorFlow holds, as text alone comes here; empty for none."""
    # Where several operations failed, TensorFlow numbers what each says.
    found = (line.partition(f"{MARK}: ") for line in str(error).splitlines())
    return next((mark + rest for _, mark, rest in found if mark), "")


def report_to_cluster(message: str) -> None:
    """Has what the other workers compute together fail with a message; nothing where there are none."""
    import tensorflow as tf  # imported by the program already

    runtime = context.context()
    if runtime.coordination_service is None:
        return
    # The service may have gone with another worker.
    with contextlib.suppress(tf.errors.OpError, ValueError):
        runtime.report_error_to_cluster(tf.errors.INVALID_ARGUMENT, message)
