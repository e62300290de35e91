"""The inputs of an operation that failed in a loop are those of the turn that failed, though later turns ran ahead."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import tensorflow as tf

from tensordbg.analysis.failures import failed_iteration
from tensordbg.model import NONE
from tests.e2e.test_failure_beginnings import answer_of


class _Trace:
    """The events of one input: the turns 0 to 4 of a loop, which ran ahead, with ten times their number.

    A second one has the turns 0 and 1 alone, a third is of another loop, and a fourth of none.
    """

    def count(self, _: str) -> int:
        return 9

    def tensors(self, first: int, last: int, columns: list[str]) -> pa.Table:
        table = {
            "execution": [7] * 9, "site": [2] * 5 + [3, 3, 4, 5], "slot": [0] * 9, "frame": [1] * 7 + [2, NONE],
            "run": [0] * 9,
            "iteration": [0, 1, 2, 3, 4, 0, 1, 0, NONE], "size": [1] * 9,
            "min": [0.0, 10.0, 20.0, 30.0, 40.0, 5.0, 5.0, 6.0, 7.0],
        }  # fmt: skip
        return pa.table({name: table[name] for name in columns}).slice(first, last - first)


def test_the_turn_whose_number_is_in_the_message() -> None:
    def event(message: str) -> int:
        return failed_iteration.events_of_inputs(_Trace(), {(7, 2, 0)}, message)[7, 2, 0]  # type: ignore[arg-type]

    assert event("Trying to modify element 30 in a list with 3 elements.") == 3
    assert event("index 10 is not in [0, 20)") == 1
    assert event("index 10 is not below 20") == 4  # of several that may be it, the last that was recorded
    assert event("nothing of 0.30, x30 or 3e1") == 4


def test_of_another_turn_nothing_is_told() -> None:
    keys = {(7, site, 0) for site in (2, 3, 4, 5)}
    found = failed_iteration.events_of_inputs(_Trace(), keys, "element 30 of 3")  # type: ignore[arg-type]
    assert found == {(7, 2, 0): 3, (7, 4, 0): 7, (7, 5, 0): 8}


def test_a_list_of_tensors_that_is_written_beyond_its_size(tmp_path: Path) -> None:
    @tf.function
    def wrong(n: tf.Tensor) -> tf.Tensor:
        written = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(n):
            written = written.write(i, tf.cast(i, tf.float32) * 10.0)
        return written.stack()

    failure, _ = answer_of(lambda: wrong(tf.constant(60)), tmp_path)
    assert failure["op_type"] == "TensorListSetItem"
    assert [each["health"] and each["health"]["max"] for each in failure["inputs"]] == [None, 3, 30]
