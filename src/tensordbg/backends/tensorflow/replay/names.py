"""Gives captured functions names that are free in the process that replays them.

In the process that a capture came from, its functions may still be there under the captured names, with other
attributes or with nodes of ours; the runtime refuses another definition of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd


def give_free_names(library: Any, is_taken: Callable[[str], bool]) -> dict[str, str]:
    """Renames the functions whose names are taken, and has all calls name them so.

    Args:
        library: A FunctionDefLibrary, which is changed.
        is_taken: Whether a name can't be given to a function any more.

    Returns:
        The captured names of all functions by those that they have now.
    """
    names = {each.signature.name: each.signature.name for each in library.function}
    for name in names:
        if is_taken(name):
            tried = (f"{name}_replayed_{number}" for number in itertools.count(1))
            names[name] = next(each for each in tried if not is_taken(each) and each not in names)
    for definition in library.function:
        definition.signature.name = names[definition.signature.name]
        for node in definition.node_def:
            for function in fd.functions_named(node):
                function.name = names.get(function.name, function.name)
    return {new: captured for captured, new in names.items()}
