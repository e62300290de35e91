from __future__ import annotations

import pytest

from tensordbg.backends.torch.failures.data_items import item_behind, worker_error

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

CAUGHT = """Caught KeyError in DataLoader worker process 3.
Original Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py", line 374, in _worker_loop
    data = fetcher.fetch(index)
  File "/home/me/train.py", line 4, in __getitem__
    return table[i]
           ~~~~~^^^
KeyError: 7
"""


def test_a_workers_error_is_told_with_the_programs_frames() -> None:
    assert worker_error(CAUGHT).splitlines() == [
        "KeyError: 7 (in DataLoader worker process 3)",
        '  File "/home/me/train.py", line 4, in __getitem__',
        "    return table[i]",
        "           ~~~~~^^^",
    ]


def test_other_messages_are_of_no_worker() -> None:
    assert worker_error("Caught KeyError") == ""


def test_the_item_that_fits_no_batch() -> None:
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset[tuple[torch.Tensor, int]]):
        def __len__(self) -> int:
            return 9

        def __getitem__(self, row: int) -> tuple[torch.Tensor, int]:
            return torch.ones(5 if row == 7 else 4), row

    with pytest.raises(RuntimeError) as found:
        list(DataLoader(Rows(), batch_size=3))
    assert item_behind(found.value) == "item 7 of Rows"
    # What the program itself puts together is no batch of items.
    with pytest.raises(RuntimeError) as found:
        list(DataLoader(Rows(), batch_size=3, collate_fn=lambda rows: torch.stack([row for row, _ in rows])))
    assert item_behind(found.value) == ""


def test_the_item_that_a_loader_asked_for() -> None:
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset[int]):
        def __len__(self) -> int:
            return 9

        def __getitem__(self, row: int) -> int:
            return [0, 1][row]

    with pytest.raises(IndexError) as found:
        list(DataLoader(Rows(), batch_size=2))
    assert item_behind(found.value) == "item 2 of Rows"
    with pytest.raises(IndexError) as found:
        Rows()[5]
    assert item_behind(found.value) == ""
