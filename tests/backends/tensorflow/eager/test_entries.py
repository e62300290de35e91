"""Layers before the eager runtime come and go in any order, and leave nothing behind."""

from __future__ import annotations

import threading
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.eager.entries import Entries, Entry
from tensordbg.backends.tensorflow.internals import pywrap_tfe


class Watcher:
    """Notes what passes."""

    def __init__(self, name: str, depth: int, seen: list[tuple[str, str]]) -> None:
        self.depth = depth
        self._name = name
        self._seen = seen

    def fast_path(self, plain: Entry) -> Entry:
        def entry(runtime: Any, op_type: str, *rest: Any) -> Any:
            self._seen.append((self._name, op_type))
            return plain(runtime, op_type, *rest)

        return entry

    def execute(self, plain: Entry) -> Entry:
        def entry(handle: Any, device: Any, op_type: Any, *rest: Any) -> Any:
            self._seen.append((self._name, "execute"))
            return plain(handle, device, op_type, *rest)

        return entry


def test_layers_nest_and_are_taken_away_in_any_order() -> None:
    entries, seen = Entries(), []
    before = pywrap_tfe.TFE_Py_FastPathExecute
    inner, outer = Watcher("inner", 1, seen), Watcher("outer", 0, seen)
    entries.add(inner)
    entries.add(outer)
    x = tf.constant(1.0)
    tf.sin(x)
    assert seen == [("outer", "Sin"), ("inner", "Sin")]
    assert entries.fast_path is before
    entries.remove(inner)
    tf.cos(x)
    assert seen[2:] == [("outer", "Cos")]
    entries.remove(outer)
    assert pywrap_tfe.TFE_Py_FastPathExecute is before


def test_calls_of_functions_pass_too() -> None:
    entries, seen = Entries(), []
    watcher = Watcher("it", 0, seen)
    double = tf.function(lambda x: x * 2.0)
    entries.add(watcher)
    try:
        assert double(tf.constant(2.0)).numpy() == 4.0
    finally:
        entries.remove(watcher)
    assert ("it", "execute") in seen
    assert entries.cancelable is pywrap_tfe.TFE_Py_ExecuteCancelable


def test_what_a_thread_does_aside_passes_no_layer() -> None:
    entries, seen = Entries(), []
    x = tf.constant(1.0)
    other = threading.Thread(target=lambda: tf.sin(x))
    entries.add(Watcher("it", 0, seen))
    try:
        with entries.bypass():
            tf.cos(x)
            with entries.bypass():
                pass
            tf.cos(x)
            other.start()
            other.join()
        tf.tan(x)
    finally:
        entries.remove(entries._layers[0])
    assert seen == [("it", "Sin"), ("it", "Tan")]
