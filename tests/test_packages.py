"""Files are told to be of a package by the folder in which packages lie, not by any folder of that name."""

from __future__ import annotations

import pytest

from tensordbg.packages import FRAMEWORKS, KERAS, is_among_packages, is_of, is_part_of


@pytest.mark.parametrize(
    ("file", "keras"),
    [
        ("/venv/lib/python3.11/site-packages/keras/src/layers/layer.py", True),
        ("/usr/lib/python3/dist-packages/tf_keras/src/engine/training.py", True),
        ("/opt/packages/keras/src/layers/layer.py", True),
        ("/venv/lib/python3.11/site-packages/wandb/integration/keras/callbacks.py", False),
        ("/venv/lib/python3.11/site-packages/keras_helpers.py", False),
        ("/venv/lib/python3.11/site-packages/keras.py", False),
        ("/opt/site-packages/venv/lib/site-packages/numpy/keras/x.py", False),
        ("/opt/packages/keras_tools/layer.py", False),
        ("<string>", False),
    ],
)
def test_part_of_keras(file: str, keras: bool) -> None:
    assert is_part_of(file, KERAS) == keras
    assert is_among_packages(file) == ("-packages/" in file)


def test_modules_by_their_full_names() -> None:
    assert is_of("tensorflow.python.framework.errors_impl", FRAMEWORKS)
    assert not is_of("tensorflow_of_mine.errors", FRAMEWORKS)
