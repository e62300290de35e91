"""The results of branches and choices have the names that the program gives them, whatever they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.backends.tensorflow.recorded import shown


def test_results_of_branches_whatever_they_are_given(tmp_path: Path) -> None:
    @tf.function
    def grade(score: Any) -> Any:
        if score > 90.0:
            bonus = 2
            scaled = score * 2.0
        elif score > 50.0:
            bonus = tf.cast(score, tf.int32) - 50
            scaled = score
        else:
            bonus = 0
            scaled = score
        chosen = score if bonus > 1 else 7.0
        both = tf.cond(score > 90.0, lambda: score, lambda: -1.0)
        left, right = tf.cond(score > 90.0, lambda: (score, 1.0), lambda: (2.0, score))
        return scaled + chosen + both + left + right

    values = shown(tmp_path, lambda: [grade(tf.constant(each)) for each in (95.0, 70.0, 20.0)])
    assert values("bonus") == [2, 20, 0]
    assert values("scaled") == [190, 70, 20]
    assert values("chosen") == [95, 70, 7]
    assert values("both") == [95, -1, -1]
    assert (values("left"), values("right")) == ([95, 2, 2], [1, 70, 20])
