from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.keras.layers import is_symbolic, path_in, plain_name


class Layer:
    """Stands for `keras.Layer`, which on PyTorch is a module that knows its path."""

    def __init__(self, path: str | None, name: str = "") -> None:
        self.path, self.name = path, name


def test_a_parameter_has_the_name_that_keras_has_for_it() -> None:
    assert plain_name("enc._torch_params.model/enc/kernel") == "model/enc/kernel"
    assert plain_name("blocks.0.weight") == "blocks.0.weight"


@pytest.mark.parametrize(
    ("outermost", "module", "path"),
    [
        (Layer("m"), Layer("m/encoder/hidden"), "encoder.hidden"),
        (Layer(None, "functional"), Layer("hidden"), "hidden"),
        (Layer(None, "functional"), Layer(None, "flatten"), "flatten"),
        (Layer("m"), object(), ""),
        (object(), Layer("m/encoder"), ""),
    ],
)
def test_a_layer_is_named_by_its_place_in_the_model(
    monkeypatch: pytest.MonkeyPatch, outermost: Any, module: Any, path: str
) -> None:
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(Layer=Layer))
    assert path_in(outermost, module) == path
    assert path_in(outermost, outermost) == ""


def test_nothing_is_a_layer_without_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    assert path_in(Layer("m"), Layer("m/encoder")) == ""


def test_a_call_that_puts_a_model_together_is_known_by_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(KerasTensor=Layer))
    assert is_symbolic(((Layer("x"),), {}))
    assert is_symbolic((([1, {"x": Layer("x")}],), {}))
    assert not is_symbolic(((1, [2.0]), {"training": True}))
    monkeypatch.delitem(sys.modules, "keras")
    assert not is_symbolic(((Layer("x"),), {}))
