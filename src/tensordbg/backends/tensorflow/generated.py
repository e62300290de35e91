"""Leads lines of code that AutoGraph generated back to the lines of the program that they were made from.

TensorFlow's own stacks do so only in the thread in which the conversion began; the replicas of a distribution strategy
run in others.
"""

from __future__ import annotations

from tensordbg.backends.tensorflow.internals import autograph
from tensordbg.recording.catalog import RawFrame

_GENERATED = "__autograph_generated_file"
"""In the names of the files that AutoGraph writes."""


def is_generated(file: str) -> bool:
    """Whether a file is one that AutoGraph has written."""
    return _GENERATED in file


class GeneratedCode:
    """The lines of all functions that AutoGraph has converted so far."""

    def __init__(self) -> None:
        self._origins: dict[tuple[str, int], RawFrame] = {}

    def original(self, frames: tuple[RawFrame, ...]) -> tuple[RawFrame, ...]:
        """Returns a stack with the program's own lines; lines whose origin is not known stay as they are."""
        if not any(_GENERATED in frame[0] for frame in frames):
            return frames
        if any(_GENERATED in frame[0] and frame[:2] not in self._origins for frame in frames):
            self._learn()
        return tuple(self._origins.get(frame[:2], frame) for frame in frames)

    def _learn(self) -> None:
        # Other threads convert functions meanwhile: copies are looked at.
        for conversions in list(autograph._TRANSPILER._cache._cache.values()):  # noqa: SLF001  see internals.py
            for factory in list(conversions.values()):
                for place, origin in dict(factory.source_map).items():
                    line = (origin.loc.filename, origin.loc.lineno, origin.function_name or "<lambda>")
                    self._origins[place.filename, place.lineno] = line
