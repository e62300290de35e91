"""Finds the operation that raised an error: the one that the observer saw raise where the error's traceback ends."""

from __future__ import annotations

import dis
import json
import traceback
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from tensordbg.backends.torch.failures.asked_by_program import asked_by_program
from tensordbg.backends.torch.failures.data_items import item_behind, worker_error
from tensordbg.backends.torch.failures.own_functions import backward_behind
from tensordbg.backends.torch.failures.refused_in_python import refused_in_python
from tensordbg.backends.torch.failures.refused_lists import is_call_of, refused_lists
from tensordbg.backends.torch.failures.stated import Handed, Held, StatedTensors, held_tensor, held_where_raised
from tensordbg.backends.torch.failures.while_compiling import error_while_compiling
from tensordbg.backends.torch.program.modules import Modules
from tensordbg.model import NONE, Site, StatedInput
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.lookup import PARAMETER
from tensordbg.packages import is_part_of
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.failure import FailedOperation, errors_behind
from tensordbg.recording.recorder import Recorder

_PACKAGES = frozenset({"torch", "torchvision", "torchaudio", "torchtext"})
_MOST_LINES = 12


class Failures:
    """Finder of what ended one process's program."""

    def __init__(self, catalog: Catalog, modules: Modules) -> None:
        self._catalog = catalog
        self._modules = modules

    def failure(self, error: BaseException, recorder: Recorder, observer: Any) -> FailedOperation | None:
        """Describes the error that ended a program; None where PyTorch did not raise it."""
        if not isinstance(error, Exception):
            return None
        for each in errors_behind(error):
            found = (
                self._of_own_function(each, error)
                or self._of_gpu(each, error, recorder, observer)
                or self._of_operation(each, error, recorder, observer)
                or self._of_shapes(each, error, recorder, observer)
                or self._of_program(each, error, observer)
                or self._of_python(each, error, observer)
            )
            if found is not None:
                return found
        return None

    def _of_own_function(self, raised: BaseException, error: BaseException) -> FailedOperation | None:
        """The program's own backward function that gave gradients which PyTorch refused."""
        backward = backward_behind(str(raised))
        if backward is None:
            return None
        site = self._place((*_frames(raised), backward))
        return FailedOperation(type(error).__name__, _words(error), site)

    def _place(self, frames: Sequence[tuple[str, int, str]]) -> int:
        """The number of a site that is a place in Python code."""
        with self._catalog.lock:
            site = self._catalog.new_sites(1)
            self._catalog.add_sites([Site(site, "", "", NONE, self._catalog.stack(tuple(frames)), framework=TORCH)])
        return site

    def _of_operation(
        self, raised: BaseException, error: BaseException, recorder: Recorder, observer: Any
    ) -> FailedOperation | None:
        """The operation in C++ that raised an error where its traceback ends."""
        if not _is_raised_by_call(raised.__traceback__):
            return None
        here = self._innermost(_frames(raised))
        for each in observer.failures():
            stack = self._catalog.site(each[0]).stack
            if stack != NONE and self._innermost_of(stack) == here:
                held = self._held(raised, observer)
                described = self._described(each, error, recorder, held)
                return replace(described, item=item_behind(raised).name)  # what made its shape is known
        return None

    def _of_shapes(
        self, raised: BaseException, error: BaseException, recorder: Recorder, observer: Any
    ) -> FailedOperation | None:
        """The operation on a tensor without elements that PyTorch's own Python code was asked for the shape of."""
        frames = _frames(raised)
        if not frames or not is_part_of(frames[-1][0], _PACKAGES):
            return None
        here = {self._innermost((each,)) for each in frames}
        for each in observer.failures():
            stack = self._catalog.site(each[0]).stack
            if stack != NONE and self._innermost_of(stack) in here and any(Handed(*one).on_meta for one in each[2]):
                return self._described(each, error, recorder, self._held(raised, observer))
        return None

    def _of_gpu(
        self, raised: BaseException, error: BaseException, recorder: Recorder, observer: Any
    ) -> FailedOperation | None:
        """The operation that failed on a GPU, of which CUDA tells the program at some later one."""
        if not str(raised).startswith("CUDA error:"):
            return None
        told = observer.failed_on_gpu()
        return None if told is None else self._described(told, error, recorder, ())

    def _held(self, raised: BaseException, observer: Any) -> list[list[Held]]:
        return held_where_raised(raised, observer, self._catalog.user_code.is_user)

    def _described(
        self,
        told: tuple[int, int, list[Any]],
        error: BaseException,
        recorder: Recorder,
        held: Sequence[Sequence[Held]],
    ) -> FailedOperation:
        number, step, given = told
        refused = [Handed(*each) for each in given]
        execution = recorder.begin_failed(number, step, [each.reference for each in refused]) if step >= 0 else NONE
        layer = _layer(self._catalog.site(number))
        tensors = StatedTensors(self._catalog, held).of(refused)
        inputs = tuple(StatedInput(each.tensor, each.dtype, each.shape) for each in tensors[: len(refused)])
        return FailedOperation(
            type(error).__name__, _words(error), number, execution, inputs, tuple(tensors), layer=layer
        )

    def _of_python(self, raised: BaseException, error: BaseException, observer: Any) -> FailedOperation | None:
        """A call of PyTorch's that refused what it was given, or a dataset's own code that it called."""
        frames = _frames(raised)
        item = item_behind(raised)
        of_torch = self._is_called_by_program(frames)
        refused = not (of_torch or item.name)
        if refused and not is_call_of(raised.__traceback__, _PACKAGES):
            return None
        given = [] if item.name or refused else refused_in_python(raised, _PACKAGES)
        held = self._held(raised, observer) if given else ()
        tensors = StatedTensors(self._catalog, held).of([held_tensor(each, observer) for each in given])
        words, inner = error_while_compiling(str(raised)) or (worker_error(str(raised)) or _words(error), ())
        site = self._place((*frames, *inner))
        inputs = tuple(StatedInput(each.tensor, each.dtype, each.shape) for each in tensors)
        if refused:
            inputs = refused_lists(raised.__traceback__)
        layer = "" if item.name else self._modules.path_behind(raised)
        giving = NONE if item.frame is None else self._catalog.stack((item.frame,))
        self._catalog.use_stack(giving)
        return FailedOperation(
            type(error).__name__,
            words,
            site,
            inputs=inputs,
            tensors=tuple(tensors),
            layer=layer,
            item=item.name,
            item_stack=giving,
        )

    def _of_program(self, raised: BaseException, error: BaseException, observer: Any) -> FailedOperation | None:
        """The program's own code, where it raised for the shape or type of a tensor."""
        asked = asked_by_program(raised, self._catalog.user_code.is_user)
        if not asked:
            return None
        held = [Held(each.name, held_tensor(each.value, observer)) for each in asked]
        tensors = StatedTensors(self._catalog, [held]).of([each.given for each in held])
        inputs = [
            StatedInput(by.name, each.dtype, each.shape, asked=by.what)
            for each, by in zip(tensors, asked, strict=False)
        ]
        site = self._place(_frames(raised))
        layer = self._modules.path_behind(raised)
        return FailedOperation(
            type(error).__name__, _words(error), site, inputs=tuple(inputs), tensors=tuple(tensors), layer=layer
        )

    def _is_called_by_program(self, frames: Sequence[tuple[str, int, str]]) -> bool:
        """Whether what raised is PyTorch's own code, or what that calls, rather than the program's."""
        is_user = self._catalog.user_code.is_user
        last = max((k for k, (file, _, _) in enumerate(frames) if is_user(file)), default=NONE)
        return any(is_part_of(file, _PACKAGES) for file, _, _ in frames[last + 1 : last + 2])

    def _innermost(self, frames: tuple[tuple[str, int, str], ...]) -> tuple[str, int] | None:
        return self._innermost_of(self._catalog.stack(frames)) if frames else None

    def _innermost_of(self, stack: int) -> tuple[str, int] | None:
        frames = self._catalog.frames(stack)
        return (frames[-1].file, frames[-1].line) if frames else None


def _layer(site: Site) -> str:
    return str(json.loads(site.layer)["path"]) if site.layer and site.op_type != PARAMETER else ""


def _frames(error: BaseException) -> tuple[tuple[str, int, str], ...]:
    return tuple((each.filename, each.lineno or 0, each.name) for each in traceback.extract_tb(error.__traceback__))


def _is_raised_by_call(trace: TracebackType | None) -> bool:
    """Whether the innermost frame of a traceback called what raised, in C++, rather than raised itself."""
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_code
    return not 0 <= trace.tb_lasti < len(code) or not dis.opname[code[trace.tb_lasti]].startswith("RAISE")


def _words(error: BaseException) -> str:
    words = str(error).strip()
    lines = words.splitlines()
    if words.startswith("CUDA error:"):
        lines = lines[:1]  # what follows is how to find the operation
    return "\n".join(lines[:_MOST_LINES])
