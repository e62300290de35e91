from __future__ import annotations

import importlib
from types import CodeType
from typing import Any
from weakref import WeakSet

import pytest

from tensordbg.backends.torch.compiled import recording
from tensordbg.backends.torch.compiled.recording import Compiled
from tensordbg.recording.guard import guarded

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def _raise(_: str, error: BaseException) -> None:
    raise error


class Recorder:
    records_all = True

    active = True

    def __init__(self) -> None:
        self.facts: list[dict[str, object]] = []

    def fact(self, fact: dict[str, object]) -> None:
        self.facts.append(fact)

    def warn(self, message: str) -> None:
        self.facts.append({"warning": message})

    def guard(self, what: str) -> Any:
        return guarded(what, _raise)


class Observer:
    def watch_compiled(self, on_bad: Any) -> None:
        self.on_bad = on_bad


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch, of what it uses itself
def test_the_compiler_is_hooked_while_a_recording_runs() -> None:
    importlib.import_module("torch._inductor.compile_fx")
    from torch._inductor.scheduler import Scheduler

    plain = Scheduler.free_buffers
    compiled, observer = Compiled(), Observer()
    compiled.install(Recorder(), observer)  # type: ignore[arg-type]
    assert Scheduler.free_buffers is not plain
    observer.on_bad(1, 2**30, 0)  # of no graph that is known
    compiled.uninstall()
    assert Scheduler.free_buffers is plain


def test_what_was_compiled_before_is_said_to_be_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    def code() -> None:
        """Stands for what was compiled."""

    compiled_code: list[CodeType] = []
    monkeypatch.setattr(recording, "WATCHED", "a_module_that_nobody_imports")
    monkeypatch.setattr(recording, "compiled_codes", lambda: WeakSet(compiled_code))
    recorder = Recorder()
    compiled = Compiled()
    compiled.install(recorder, Observer())  # type: ignore[arg-type]
    compiled.uninstall()
    assert recorder.facts == []
    compiled_code.append(code.__code__)
    compiled.install(recorder, Observer())  # type: ignore[arg-type]
    compiled.uninstall()
    assert "before the recording began" in str(recorder.facts)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch, of what it uses itself
def test_a_version_without_the_hook_goes_on_and_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("torch._inductor.compile_fx")
    from torch._inductor.graph import GraphLowering
    from torch._inductor.scheduler import Scheduler

    monkeypatch.delattr(Scheduler, "free_buffers")
    plain, recorder, compiled = GraphLowering.compile_to_module, Recorder(), Compiled()
    compiled.install(recorder, Observer())  # type: ignore[arg-type]
    assert GraphLowering.compile_to_module is plain
    compiled.uninstall()
    told = recorder.facts[-1]
    assert "lacks torch._inductor.scheduler.Scheduler.free_buffers; compile with `backend='aot_eager'`" in str(told)
