from __future__ import annotations

import pickle

import pytest

from tensordbg.backends.torch.failures.data_items import item_behind
from tensordbg.backends.torch.failures.data_workers import watch_workers

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class Rows:
    def __len__(self) -> int:
        return 4

    def __getitem__(self, row: int) -> int:
        return [5, 6][row]


def handed_on() -> BaseException:
    """What comes up in the program's process of an error that a worker meets."""
    from torch.utils.data import _utils

    try:
        _utils.fetch._MapDatasetFetcher(Rows(), True, list, False).fetch([1, 2])
    except IndexError:
        sent = pickle.dumps(_utils.worker.ExceptionWrapper(where="in DataLoader worker process 0"))
    with pytest.raises(IndexError) as found:
        pickle.loads(sent).reraise()
    return found.value


def test_a_worker_says_of_which_item_its_error_is() -> None:
    assert item_behind(handed_on()).name == ""
    undo = watch_workers()
    try:
        assert item_behind(handed_on()).name == "item 2 of Rows"
    finally:
        undo()
    assert item_behind(handed_on()).name == ""


def test_a_loop_that_is_sent_to_another_process_runs_the_loop_there() -> None:
    from torch.utils.data import _utils

    plain = _utils.worker._worker_loop
    undo = watch_workers()
    try:
        sent = pickle.dumps(_utils.worker._worker_loop)
        with pytest.raises(TypeError, match="_worker_loop"):
            _utils.worker._worker_loop()  # in a fork
    finally:
        undo()
    assert _utils.worker._worker_loop is plain
    wrapper = _utils.worker.ExceptionWrapper
    with pytest.raises(TypeError, match="_worker_loop"):
        pickle.loads(sent)()  # as in a process that was started anew
    assert wrapper is not _utils.worker.ExceptionWrapper
    _utils.worker.ExceptionWrapper = wrapper
