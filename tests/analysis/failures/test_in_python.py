from __future__ import annotations

from tensordbg.analysis.failures.in_python import raised_in_python
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.locations import Locations
from tests.analysis.builder import TraceBuilder

MESSAGE = """Error in user-defined function passed to MapDataset:1 transformation with iterator: Root::Map: KeyError: 2
Traceback (most recent call last):
  File "/home/me/train.py", line 2, in outer
    return load(key)
  File "/home/me/other.py", line 7, in load
    return table[key]
  File "/tmp/__autograph_generated_file1.py", line 3, in tf__load
    x
"""


def test_the_innermost_line_of_the_program_is_told() -> None:
    (began,) = raised_in_python(MESSAGE, Locations(read_program(TraceBuilder())))
    assert (began.what, began.explanation) == ("python", "load() raised KeyError: 2")
    assert began.source is not None
    assert (began.source.file, began.source.line) == ("/home/me/other.py", 7)


def test_other_messages_tell_of_no_line() -> None:
    assert raised_in_python("indices[0] = 7 is not in [0, 5)", Locations(read_program(TraceBuilder()))) == ()
