"""Topics of the console's help: what one wants to do, and the commands for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """Commands that serve one end."""

    title: str
    commands: tuple[str, ...]
    """Their names, in the order in which the help lists them."""
    text: str
    """How they go together, in a few lines."""


TOPICS: Mapping[str, Topic] = {
    "asking": Topic(
        "Ask what went wrong",
        ("why", "diff"),
        """\
`why` says where the numbers went wrong, and what helps; its links lead to the tensors, nodes and lines it names.
`diff PATH` says where this trace and another part, `diff NAME A B` compares one tensor in two runs of the program.""",
    ),
    "looking": Topic(
        "Look at tensors and graphs",
        ("list_tensors", "print_tensor", "history", "node_info", "list_inputs", "list_outputs", "graph", "eval"),
        """\
`lt` lists tensors: `lt op:Log step:3..`, or by a filter, `lt -f non_finite` (`help filters`). `pt`, `ni`, `li` and `lo`
take a name from there, and from one bad tensor `li` leads back through what it was made from. On a finished trace
they speak of the step of the page before; `-x` chooses runs, `-n` one of several tensors of a name.""",
    ),
    "runs": Topic(
        "See the runs and the source",
        ("run_info", "print_feed", "list_profile", "list_source", "print_source"),
        """\
A run is one call from Python into the program's numbers; `ri` lists them, and `ri -x 3` says what one took and
returned. `ps FILE` shows the source with the operations that each line made, and whether they were finite.""",
    ),
    "running": Topic(
        "Run and stop the program",
        ("run", "step", "continue", "until", "break", "delete", "capture"),
        """\
These move a program that `tdbg debug` has stopped; on a finished trace they say so. `run -f non_finite` goes on to the
first run with a bad number, `break` stops by operation, function, layer, filter or file and line, and `capture` keeps
the step for `tdbg replay`.""",
    ),
    "session": Topic(
        "Set up and leave",
        ("config", "help", "version", "exit"),
        """\
`config` shows the settings, and `config set NAME VALUE` changes one and keeps it.""",
    ),
}
"""By the word that `help` takes, in the order in which it lists them."""

PAGES = "pages"
"""The word for the topic of what moves about in an answer."""
