"""Of what eager code takes out of a dataset it is told where in the element each tensor stands."""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

from tensordbg.model import ELEMENT_PARTS
from tests.backends.tensorflow.recorded import record


def test_in_the_order_in_which_tensorflow_gives_them(tmp_path: Path) -> None:
    def program() -> None:
        for _ in tf.data.Dataset.from_tensors(({"b": 1.0, "a": (2.0, 3.0)}, 4.0)):
            pass
        for _ in tf.data.Dataset.range(1):
            pass

    recorded = record(tmp_path, program)
    told = [json.loads(site.attributes)[ELEMENT_PARTS] for site in recorded.sites.values()
            if ELEMENT_PARTS in site.attributes]  # fmt: skip
    assert told == [["[0]['a'][0]", "[0]['a'][1]", "[0]['b']", "[1]"], [""]]
    values = [recorded.of("IteratorGetNext", slot=slot)[0].row["max"] for slot in range(4)]
    assert values == [2, 3, 1, 4]
