"""What the README shows in Python works as it stands there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import tensorflow as tf

README = Path(__file__).parents[2] / "README.md"


def test_the_python_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {"train": lambda: tf.math.log(tf.constant([1.0, 0.0]))})
    assert printed.getvalue() == "log_of_zero\n"
