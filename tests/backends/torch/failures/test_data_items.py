from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensordbg.backends.torch.failures.data_items import item_behind, worker_error

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

LED_TO_ANOTHER = """Caught TypeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/home/me/train.py", line 4, in collate
    return elem_type(clone)
TypeError: 'NoneType' object is not subscriptable

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/me/train.py", line 6, in collate
    return [d[key] for d in batch]
TypeError: 'int' object is not subscriptable
"""

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


def test_of_errors_that_led_to_one_another_the_last_one_is_told() -> None:
    first, *frames = worker_error(LED_TO_ANOTHER).splitlines()
    assert first == "TypeError: 'int' object is not subscriptable (in DataLoader worker process 0)"
    assert len(frames) == 4


def test_the_item_of_a_subset_that_is_not_made_as_the_others() -> None:
    from torch.utils.data import DataLoader, Dataset, Subset

    class Rows(Dataset[object]):
        def __len__(self) -> int:
            return 9

        def __getitem__(self, row: int) -> object:
            return None if row == 7 else {"x": row}

    class Lacking(Rows):
        def __getitem__(self, row: int) -> object:
            return {"x": row} if row == 7 else {"x": row, "y": row}

    with pytest.raises(TypeError) as found:
        list(DataLoader(Subset(Rows(), [1, 7, 3]), batch_size=3))
    item = item_behind(found.value)
    assert item.name == "item 7 of Rows, which has None where others have a dict"
    assert item.frame is not None
    assert (item.frame[0], item.frame[2]) == (__file__, "__getitem__")
    with pytest.raises(KeyError) as lacking:
        list(DataLoader(Subset(Lacking(), [1, 7, 3]), batch_size=3))
    assert item_behind(lacking.value).name == "item 7 of Lacking, which has no 'y'"


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
    assert item_behind(found.value).name == "item 7 of Rows, which has [5] where others have [4]"


def test_the_item_that_fits_no_batch_of_the_programs_own_making() -> None:
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset[object]):
        def __len__(self) -> int:
            return 9

        def __getitem__(self, row: int) -> object:
            return None if row == 5 else (torch.ones(5 if row == 7 else 4), row)

    def fail_on(rows: list[int], collate: Callable[[list[Any]], object]) -> str:
        loader = DataLoader(torch.utils.data.Subset(Rows(), rows), batch_size=3, collate_fn=collate)
        with pytest.raises((RuntimeError, TypeError)) as found:
            list(loader)
        return item_behind(found.value).name

    def stacked(rows: list[Any]) -> object:
        return torch.stack([row for row, _ in rows])

    assert fail_on([1, 7, 8], stacked) == "item 7 of Rows, which has [5] where others have [4]"
    assert fail_on([1, 2, 5], stacked) == "item 5 of Rows, which has None where others have a tuple"
    # What is stacked are no items.
    assert fail_on([1, 7, 8], lambda rows: torch.stack([torch.ones(k + 1) for k in range(len(rows))])) == ""
    assert fail_on([1, 7, 8], lambda rows: torch.ones(3) @ torch.ones(len(rows) + 1)) == ""


def test_the_item_that_a_loader_asked_for() -> None:
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset[int]):
        def __len__(self) -> int:
            return 9

        def __getitem__(self, row: int) -> int:
            return [0, 1][row]

    with pytest.raises(IndexError) as found:
        list(DataLoader(Rows(), batch_size=2))
    assert item_behind(found.value).name == "item 2 of Rows"
    with pytest.raises(IndexError) as found:
        Rows()[5]
    assert item_behind(found.value).name == ""
