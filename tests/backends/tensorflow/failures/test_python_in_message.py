from __future__ import annotations

from tensordbg.backends.tensorflow.failures.python_in_message import with_own_frames

FRAMES = """KeyError: 2
Traceback (most recent call last):

  File "/usr/lib/python3/site-packages/tensorflow/python/ops/script_ops.py", line 267, in __call__
    return func(device, token, args)
           ^^^^^^^^^^^^^^^^^^^^^^^^^

  File "/project/train.py", line 3, in load
    return table[key]
           ~~~~~^^^^^

KeyError: 2
"""


def test_only_frames_of_the_program_are_left() -> None:
    assert with_own_frames(FRAMES).splitlines() == [
        "KeyError: 2",
        "Traceback (most recent call last):",
        '  File "/project/train.py", line 3, in load',
        "    return table[key]",
    ]


def test_without_any_the_error_alone_is_left() -> None:
    assert with_own_frames(FRAMES.replace("/project/", "/usr/lib/python3/site-packages/mine/")) == "KeyError: 2"


def test_frames_of_pythons_own_library_are_left_out() -> None:
    import json

    frame = f'  File "{json.__file__}", line 1, in load\n    pass\n'
    assert "load" not in with_own_frames(f"ValueError: no\nTraceback (most recent call last):\n{frame}")


def test_any_other_message_stays() -> None:
    assert with_own_frames("indices[0] = 7 is not in [0, 5)\nmore") == "indices[0] = 7 is not in [0, 5)\nmore"
