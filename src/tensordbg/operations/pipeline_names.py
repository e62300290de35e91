"""Names of functions that programs give to input pipelines: the framework's own, and those for a reader.

TensorFlow calls the graph of `parse`, given to `Dataset.map`, `Dataset_map_parse`. The program's name is `parse`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensordbg.model import NONE, Frame

_METHODS = (
    *("map_and_batch", "map", "filter", "flat_map", "from_generator", "group_by_window", "group_by_reducer", "scan"),
    *("interleave", "parallel_interleave", "snapshot", "take_while", "reduce", "save", "load"),
)
PIPELINE_NAME = rf"(?:Dataset|tf_data_experimental)_({'|'.join(_METHODS)})_(.+)"
"""The names that pipelines give, as a regular expression of a method and the program's name."""
SHORT_NAME = r"(reduce|save|load)_(.+)"
"""Some methods give names that a function of the program may have as well; its stack tells."""
OF_OBJECT = r"class(?:\w+\.)*(\w+)"
"""The name of an object that can be called: its class."""
PIPELINES = "/tensorflow/python/data/"
"""Where that lies which traces what pipelines are given."""
STATEMENTS = "/tensorflow/python/autograph/operators/"
"""Where that lies which makes graphs of statements."""
ASKS_GENERATOR = "generator_next_fn"
"""In the name of the function by which a dataset asks a generator of the program's for an element."""
NAMELESS = ("lambda", "partial")


def program_title(name: str, stack: Sequence[Frame] = ()) -> str:
    """The program's name of a function that a pipeline was given, `lambda given to map` where it has none.

    Args:
        name: As the framework has it. One of another function is given back as it is.
        stack: Where the function was traced, outermost first, if that is known.
    """
    statement = function_of_statement(stack)
    found = re.fullmatch(PIPELINE_NAME, name) or (re.fullmatch(SHORT_NAME, name) if _is_in_pipeline(stack) else None)
    if found is None or statement:
        return statement if found is not None and statement else name
    called = re.fullmatch(OF_OBJECT, found[2])
    own = called[1] if called is not None else found[2]
    return f"{own} given to {found[1]}" if own in NAMELESS else own


def is_of_pipeline(name: str, stack: Sequence[Frame] = ()) -> bool:
    """Whether a function is one that a pipeline was given."""
    return name.startswith("Dataset_") or (re.fullmatch(SHORT_NAME, name) is not None and _is_in_pipeline(stack))


def function_of_statement(stack: Sequence[Frame]) -> str:
    """The function that holds the statement of which a graph was made, such as `for`; empty for any other graph."""
    own = _last_of_program(stack)
    if own == NONE or not any(STATEMENTS in frame.file for frame in stack[own + 1 :]):
        return ""
    return stack[own].function


def _is_in_pipeline(stack: Sequence[Frame]) -> bool:
    return any(PIPELINES in frame.file for frame in stack[_last_of_program(stack) + 1 :])


def _last_of_program(stack: Sequence[Frame]) -> int:
    return max((k for k, frame in enumerate(stack) if frame.user), default=NONE)
