"""What the programs of this folder are held to: recorded or not, the same bits; and `why` names the guilty line.

A program is a Python function that makes all it needs, computes and returns its results. Lines where it goes wrong
end with `# HERE`; one without such a line stays finite.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json
from tests.backends.tensorflow.recorded import Recorded, read

Program = Callable[[], object]


@dataclass(frozen=True)
class Checked:
    """What a program's trace holds, and what `tdbg why --json` says of it."""

    recorded: Recorded
    answer: dict[str, Any]

    def named(self, ending: str, **wanted: Any) -> list[Any]:
        """The events of tensors whose name ends so, whatever the function's own prefix."""
        names = {event.name for event in self.recorded.events if event.name.endswith(ending)}
        return [event for name in sorted(names) for event in self.recorded.of(name, **wanted)]


def check(program: Program, folder: Path) -> Checked:
    """Runs a program recorded and plainly, and checks what holds for all of them."""
    results: list[object] = []
    checked = recorded_and_why(lambda: results.append(program()), folder)
    # Afterwards: TensorFlow keeps some functions of its own, and what was traced before a recording is not seen by it.
    assert bits(results[0]) == bits(program()), "recording changed what is computed"
    check_lines(program, checked.answer)
    return checked


def recorded_and_why(program: Program, folder: Path) -> Checked:
    """Records a program to its end, without a fault of ours."""
    with tensordbg.record(folder) as recording:
        program()
    recorded = read(recording.path)
    assert not [warning for warning in recorded.reader.facts.warnings if "recording stopped" in warning]
    return Checked(recorded, why_to_json(tensordbg.open(recording.path).why()))


def bits(result: object) -> list[tuple[str, str, bytes]]:
    """Data type, shape and bytes of every tensor in a nested result."""
    arrays = [np.asarray(leaf) for leaf in tf.nest.flatten(result, expand_composites=True)]
    return [
        (
            array.dtype.name,
            str(array.shape),
            repr(array.tolist()).encode() if array.dtype == object else array.tobytes(),
        )
        for array in arrays
    ]


def check_lines(program: Program, answer: dict[str, Any]) -> None:
    """The first origin lies in a marked line, and each marked line has an origin."""
    marked = marked_lines(program)
    if not marked:
        assert (answer["status"], answer["origins"]) == ("finite", [])
        return
    sources = [origin["source"] for origin in answer["origins"]]
    assert sources, answer["status"]
    assert sources[0] is not None, answer["origins"][0]["tensor"]
    assert (sources[0]["file"], sources[0]["line"] in marked) == (inspect.getfile(program), True), sources[0]
    assert marked <= {source["line"] for source in sources if source is not None}


def marked_lines(program: Program) -> set[int]:
    """The numbers of the lines that end with `# HERE`."""
    lines, first = inspect.getsourcelines(program)
    return {number for number, line in enumerate(lines, first) if line.rstrip().endswith("# HERE")}
