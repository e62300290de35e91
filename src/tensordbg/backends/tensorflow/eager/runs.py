"""Tells a debugger of what is a run though no function is called: a batch of a Keras model, or the gradient of a tape.

Keras keeps in each model what makes one batch (`train_function`, `test_function`, `predict_function`), and makes it by
a method that programs may override; so that is where we look. In a loop that runs eagerly, each step takes a gradient.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.model import NONE, Function
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall

_KERAS_TRAINERS = "keras.src.backend.tensorflow.trainer"
_STEPS = {"train": "train_step", "test": "test_step", "predict": "predict_step"}


class EagerRuns:
    """The hooks for one recording; there are none where no debugger asks."""

    def __init__(self, recorder: Recorder) -> None:
        """Nothing is hooked yet."""
        self._recorder = recorder
        self._methods = ReplacedMethods(recorder.guard)

    def install(self) -> None:
        """Tells the debugger from now on, if there is one."""
        if self._recorder.watch is None:
            return
        trainers = [
            Method(_KERAS_TRAINERS, f"TensorFlowTrainer.make_{kind}_function", partial(self._making_batches, kind))
            for kind in _STEPS
        ]
        self._methods.install(Method("tensorflow", "GradientTape.gradient", self._taking_gradients), *trainers)

    def uninstall(self) -> None:
        """Takes the hooks out again; what models keep already tells nobody any more."""
        self._methods.uninstall()

    def _taking_gradients(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(*args: Any, **kwargs: Any) -> Any:
            if not context.context().executing_eagerly():
                return plain(*args, **kwargs)
            return self._watched("GradientTape.gradient", lambda: plain(*args, **kwargs))

        return gradient

    def _making_batches(self, kind: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        attribute = f"{kind}_function"

        def make(model: Any, *args: Any, **kwargs: Any) -> Any:
            made = plain(model, *args, **kwargs)
            with self._recorder.guard("looking at a Keras model"):
                function = getattr(model, attribute, None)
                if model.run_eagerly and function is not None and not hasattr(function, "tells_of_batches"):
                    setattr(model, attribute, self._telling(function, f"{model.name}.{_STEPS[kind]}"))
            return made

        return make

    def _telling(self, plain: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(plain)
        def make_batch(*args: Any, **kwargs: Any) -> Any:
            return self._watched(name, lambda: plain(*args, **kwargs))

        make_batch.tells_of_batches = True  # type: ignore[attr-defined]
        return unseen(make_batch)

    def _watched(self, name: str, make: Callable[[], Any]) -> Any:
        """Makes a run, with the debugger before and behind it."""
        watch = self._recorder.watch
        if watch is None or not self._recorder.active:
            return make()
        run = DebuggedCall(Function(NONE, name, "", NONE), False, sys._getframe(2))  # noqa: SLF001
        watch.before(run)
        try:
            result = make()
        except BaseException as error:
            watch.after(run, NONE, error)
            raise
        watch.after(run, NONE, None)
        return result
