from __future__ import annotations

import pickle
import sys
from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

from tensordbg.backends.torch import processes
from tensordbg.recording.handed_on import HandedOn, hand_on

told: list[Any] = []


def run_function(words: tuple[str, ...], function: Any) -> None:
    told.append((words, function.__name__))
    function()


def work(rank: int, text: str) -> None:
    told.append((rank, text))


def test_a_pickled_function_is_watched_where_it_runs() -> None:
    told.clear()
    watched = pickle.loads(pickle.dumps(processes.WatchedFunction(HandedOn(__name__, ("word",)), work)))
    watched(1, "x")
    assert told == [(("word",), "work"), (1, "x")]


def test_the_command_of_torchrun_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.distributed.launcher import api

    started: list[Any] = []
    monkeypatch.setattr(api.elastic_launch, "__call__", lambda self, *args: started.append((self._entrypoint, *args)))
    processes._watch_launcher()
    try:
        hand_on(HandedOn("watcher"))
        api.elastic_launch(None, sys.executable)("-u", "train.py")
        hand_on(None)
        api.elastic_launch(None, sys.executable)("-u", "train.py")
    finally:
        hand_on(None)
    assert [each[1:] for each in started] == [("-u", "-m", "watcher", "train.py"), ("-u", "train.py")]


def test_nothing_is_changed_where_nobody_watches() -> None:
    import torch.multiprocessing

    before = torch.multiprocessing.start_processes
    processes.watch_processes()
    assert torch.multiprocessing.start_processes is before
