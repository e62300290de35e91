"""Backends are found by the framework's name, and offer what the protocol asks."""

from __future__ import annotations

import pytest

from tensordbg.recording.backend import BACKENDS, Backend, load_backend


@pytest.mark.parametrize("framework", sorted(BACKENDS))
def test_every_backend_loads_and_names_its_framework(framework: str) -> None:
    backend: Backend = load_backend(framework)
    assert backend.name == framework
    assert backend.versions()[framework]


def test_an_unknown_framework_has_none() -> None:
    with pytest.raises(KeyError):
        load_backend("no_such_framework")
