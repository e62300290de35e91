"""TensorFlow's messages of errors are taken apart as it does it, in less time."""

from __future__ import annotations

import time

import pytest
import tensorflow as tf
from tensorflow.python.framework import error_interpolation

from tests.quick_errors import be_quick, quick

TAG = "{{node a/b}}"
MESSAGES = {
    "nothing": "",
    "no tag": "it failed\n" * 20,
    "tags": "123{{node Foo}}456{{function_node Bar}}789",
    "a function at the end": "x {{function_node __inference_f_7}}",
    "braces that are no tag": "a {{b}} {{node }} {{ node x}} {{node x}} {{no-tag-here}} {{node y} }",
    "a tag in braces": "{{{node x}}} {{{{node y}}}} {{node {{node z}}}}",
    "lines": f"first\n{TAG}\nthen {{{{function_node f}}}} {TAG}\n\tand {{{{}}}}",
    "signs": "{{node a-b.c_d/e}} {{function_node __wrapped__Log_device_/job:localhost}}",
    "open": "{{node x}} {{node y",
}


@pytest.fixture
def plain() -> object:
    """TensorFlow's own function, whether it has been replaced or not."""
    parse = error_interpolation.parse_message
    return parse.__closure__[0].cell_contents if parse.__closure__ else parse


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_the_answers_are_tensorflows(plain: object, message: str) -> None:
    assert quick(plain)(message) == plain(message)  # type: ignore[arg-type,operator]


def test_a_long_message_takes_no_time() -> None:
    be_quick()
    be_quick()
    begun = time.perf_counter()
    assert error_interpolation.parse_message(TAG + "x" * 1_000_000)[0] == TAG + "x" * 1_000_000
    assert time.perf_counter() - begun < 1.0


def test_errors_of_functions_say_the_same(plain: object, monkeypatch: pytest.MonkeyPatch) -> None:
    @tf.function
    def failing(x: tf.Tensor) -> tf.Tensor:
        return tf.debugging.check_numerics(tf.math.log(x), "bad: {{x}}")

    said = []
    for parse in (plain, quick(plain)):  # type: ignore[arg-type]
        monkeypatch.setattr(error_interpolation, "parse_message", parse)
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            failing(tf.constant([-1.0]))
        said.append(str(raised.value))
    assert said[0] == said[1]
