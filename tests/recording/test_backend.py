"""Backends are found by the framework's name; each role is what its Protocol asks, or says why it is missing."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from typing import Any

import pytest

from tensordbg.recording import backend as module
from tensordbg.recording.backend import FRAMEWORKS, Backend, Unsupported, backend_of, backends

PROTOCOLS: dict[str, Any] = {
    "record": module.Record,
    "check": module.Check,
    "trap": module.Trap,
    "replay": module.Replay,
    "step_calls": module.StepCalls,
    "debug": module.Debug,
    "lines": module.Lines,
}


def test_every_role_has_a_protocol() -> None:
    assert [each.name for each in fields(Backend)] == ["framework", "title", "modules", *PROTOCOLS]


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("role", PROTOCOLS)
def test_a_role_has_its_methods_or_says_why_not(framework: str, role: str) -> None:
    given = getattr(backend_of(framework), role)
    if isinstance(given, Unsupported):
        assert given.reason
        assert given.instead
        assert not given.reason.endswith(".")
        return
    for name, asked in inspect.getmembers(PROTOCOLS[role], inspect.isfunction):
        if not name.startswith("_"):
            offered = inspect.signature(getattr(given, name))
            assert list(offered.parameters) == list(inspect.signature(asked).parameters)[1:]


def test_every_backend_records() -> None:
    assert [each.framework for each in backends()] == list(FRAMEWORKS)
    assert not [each.framework for each in backends() if isinstance(each.record, Unsupported)]
    assert all(each.framework in each.modules for each in backends())


def test_a_backend_is_there_without_its_framework() -> None:
    program = (
        "import sys; from tensordbg.recording.support import support_table; support_table(); "
        "print([name for name in ('tensorflow', 'torch', 'keras') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_framework_has_none() -> None:
    with pytest.raises(KeyError):
        backend_of("no_such_framework")
