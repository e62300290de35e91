"""Of batches that a generator or a `PyDataset` gives to `fit`, the program's own line is told where they began."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from tensordbg.backends.tensorflow.failures.batch_parts import parts_of_batches
from tensordbg.recording.catalog import CATALOG
from tests.backends.tensorflow.failures.test_data_values import classifier
from tests.e2e.test_failure_beginnings import answer_of, line_of

LABELS = np.zeros([4], np.int32)


class Batches(keras.utils.PyDataset):
    """Batches of too few features."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        features = np.ones([4, 7], np.float32)  # HERE
        return features, LABELS


def a_generator() -> None:
    def batches() -> Iterator[Any]:
        while True:
            features = np.ones([4, 7], np.float32)  # HERE
            yield features, LABELS

    classifier().fit(batches(), steps_per_epoch=2, shuffle=False, verbose=0)


def a_generator_that_names_nothing() -> None:
    def batches() -> Iterator[Any]:
        for _ in range(5):
            yield np.ones([4, 7], np.float32), LABELS  # HERE

    classifier().fit(batches(), shuffle=False, verbose=0)


def a_dataset_of_keras() -> None:
    classifier().fit(Batches(), verbose=0)


@pytest.mark.parametrize("program", [a_generator, a_generator_that_names_nothing, a_dataset_of_keras])
def test_the_line_is_told_where_the_batches_began(program: Callable[[], None], tmp_path: Path) -> None:
    began = answer_of(program, tmp_path)[0]["beginnings"][0]
    place: Any = Batches if program is a_dataset_of_keras else program
    assert (began["what"], began["explanation"]) == ("shape", "it came in from Python with [?, 7]")
    assert began["source"]["line"] == line_of(place)


def test_a_generator_that_has_ended_and_plain_data_tell_nothing() -> None:
    ended, of_no_yield = iter([]), (each for each in ())
    for value in (ended, of_no_yield, np.ones(3), [1, 2], {"a": 1}, 3):
        assert parts_of_batches(value, CATALOG) == []
