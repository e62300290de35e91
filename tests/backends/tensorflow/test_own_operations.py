"""Operations of libraries that a program loads are told from TensorFlow's."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
import tensorflow as tf
from tensorflow.python.framework import load_library

from tensordbg.backends.tensorflow.own_operations import own_operations


def test_a_library_of_the_programs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = own_operations()
    # No compiler of kernels is at hand: what TensorFlow makes of a library is made of operations that are there.
    monkeypatch.setattr(load_library.py_tf, "TF_LoadLibrary", lambda name: name)
    monkeypatch.setattr(load_library.py_tf, "TF_GetOpList", lambda handle: handle)
    monkeypatch.setattr(load_library.py_tf, "TF_DeleteLibraryHandle", lambda handle: None)
    source = b"def log(x): pass\nLog = log\nNotThere = log\nTV_Log_T = 1\n"
    monkeypatch.setattr(load_library._pywrap_python_op_gen, "GetPythonWrappers", lambda operations: source)
    module = tf.load_op_library("own.so")
    try:
        assert isinstance(module, ModuleType)
        assert set(own_operations()) - set(before) == {"Log"}
    finally:
        sys.modules.pop(module.__name__)
    assert own_operations() == before
