"""Tensors of whose shapes and types the program's own code asked where it raised, eagerly or while it was traced.

AutoGraph runs a copy of the program's function, raises in a frame of its own where that asserts, and raises another
error in place of the first, as Keras does; so the frames are looked for on the errors behind.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from types import FrameType

from tensordbg.backends.tensorflow.failures.frame_arguments import is_tensor
from tensordbg.backends.tensorflow.generated import is_generated
from tensordbg.backends.tensorflow.internals import tracing_error
from tensordbg.recording.asked_where_raised import AskedTensor, asked_at, raised_by_itself
from tensordbg.recording.catalog import Catalog

_ASSERTING = "/autograph/operators/exceptions.py"
_MOST_CAUSES = 100


def asked_by_program(error: BaseException, catalog: Catalog) -> list[AskedTensor]:
    """Returns the tensors of which the program's own code asked where it raised; none where something else raised."""
    places, _ = tracing_error(error) or ([], "")
    is_user = catalog.user_code.is_user
    for each in _same_errors(error):
        steps = list(traceback.walk_tb(each.__traceback__))
        own = _without_assertion(steps)
        if not own or (own == steps and not raised_by_itself(each)):
            continue
        frame, line = own[-1]
        file = frame.f_code.co_filename
        if is_generated(file) and places and is_user(places[-1][0]):
            copied = [frame for frame, _ in own if is_generated(frame.f_code.co_filename)]
            return asked_at(*places[-1][:2], copied[::-1], is_tensor)
        if is_user(file):
            return asked_at(file, line, [frame], is_tensor)
    return []


def _without_assertion(steps: list[tuple[FrameType, int]]) -> list[tuple[FrameType, int]]:
    """The steps of a traceback without those of what AutoGraph has in place of `assert`."""
    kept = len(steps)
    while kept and steps[kept - 1][0].f_code.co_filename.endswith(_ASSERTING):
        kept -= 1
    return steps[:kept]


def _same_errors(error: BaseException) -> Iterator[BaseException]:
    """An error, and those of its class for which it was raised."""
    following: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if following is None or type(following).__name__ != type(error).__name__:
            return
        yield following
        following = following.__cause__ or following.__context__
