"""Tells a debugger of the batches of Keras models that run eagerly: each is a run, though no function is called.

Keras keeps in each model what makes one batch (`train_function`, `test_function`, `predict_function`), and makes it by
a method that programs may override; so that is where we look.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from tensordbg.model import NONE, Function
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import Run

_MODULE = "keras.src.backend.tensorflow.trainer"
_STEPS = {"train": "train_step", "test": "test_step", "predict": "predict_step"}


class KerasTrainers:
    """The hook into the making of what makes a batch."""

    def __init__(self) -> None:
        self._trainer: Any = None
        self._plain: dict[str, Callable[..., Any]] = {}

    def look(self, recorder: Recorder) -> None:
        """Sets the hook if there is a debugger and the program has imported Keras by now."""
        trainer = getattr(sys.modules.get(_MODULE), "TensorFlowTrainer", None)
        if trainer is None or self._trainer is not None or recorder.watch is None:
            return
        self._trainer = trainer
        for kind in _STEPS:
            name = f"make_{kind}_function"
            self._plain[name] = plain = getattr(trainer, name)
            setattr(trainer, name, _watching(plain, kind, recorder))

    def uninstall(self) -> None:
        """Takes the hook out again; what models keep already tells nobody any more."""
        for name, plain in self._plain.items():
            setattr(self._trainer, name, plain)
        self._trainer = None
        self._plain.clear()


def _watching(plain: Callable[..., Any], kind: str, recorder: Recorder) -> Callable[..., Any]:
    attribute = f"{kind}_function"

    @functools.wraps(plain)
    def make(model: Any, *args: Any, **kwargs: Any) -> Any:
        made = plain(model, *args, **kwargs)
        with recorder.guard("looking at a Keras model"):
            function = getattr(model, attribute, None)
            if model.run_eagerly and function is not None and not hasattr(function, "tells_of_batches"):
                setattr(model, attribute, _telling(function, f"{model.name}.{_STEPS[kind]}", recorder))
        return made

    return make


def _telling(plain: Callable[..., Any], name: str, recorder: Recorder) -> Callable[..., Any]:
    @functools.wraps(plain)
    def make_batch(*args: Any, **kwargs: Any) -> Any:
        watch = recorder.watch
        if watch is None or not recorder.active:
            return plain(*args, **kwargs)
        run = Run(Function(NONE, name, "", NONE), False, sys._getframe(1))  # noqa: SLF001
        watch.before(run)
        try:
            result = plain(*args, **kwargs)
        except BaseException as error:
            watch.after(run, NONE, error)
            raise
        watch.after(run, NONE, None)
        return result

    make_batch.tells_of_batches = True  # type: ignore[attr-defined]
    return make_batch
