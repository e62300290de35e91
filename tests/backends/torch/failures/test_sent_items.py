from __future__ import annotations

import pytest

from tensordbg.backends.torch.failures.data_items import NO_ITEM
from tensordbg.backends.torch.failures.sent_items import item_of_batch

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

FETCH = '  File "/x/torch/utils/data/_utils/fetch.py", line 54, in fetch\n    data = [self.dataset[idx]]\n'
COLLATE = (
    '  File "/x/torch/utils/data/_utils/collate.py", line 275, in collate_tensor_fn\n    return torch.stack(batch)\n'
)
STACK = "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 2\n"
GET = '  File "/x/train.py", line 9, in __getitem__\n    raise ValueError("bad")\n'
OWN_COLLATE = '  File "/x/train.py", line 12, in join\n    return torch.stack(batch)\n'


class Rows:
    def __len__(self) -> int:
        return 40

    def __getitem__(self, row: int) -> int:
        return row


def named(text: str, *items: object) -> str:
    return item_of_batch(text, Rows(), items).name


def test_the_items_of_the_batch_are_told_where_one_of_them_raised() -> None:
    text = f"{FETCH}{GET}ValueError: bad\n"
    assert named(text, 4, 5, 6) == "one of the items 4, 5, 6 of Rows"
    assert named(text, 7) == "item 7 of Rows"
    assert named(text, *range(32)) == "one of the items 0, 1, 2, 3, 4, 5, 6, 7 and 24 more of Rows"
    subset = torch.utils.data.Subset(Rows(), [30, 31, 32])
    assert item_of_batch(text, subset, [0, 2]).name == "one of the items 30, 32 of Rows"


def test_of_items_that_go_not_together_the_odd_one_is_told_with_its_code() -> None:
    item = item_of_batch(f"{FETCH}{COLLATE}{STACK}", Rows(), [4, 5, 6, 7])
    assert item.name == "item 6 of Rows, which has [4] where others have [3]"
    assert item.frame == (__file__, Rows.__getitem__.__code__.co_firstlineno, "__getitem__")


@pytest.mark.parametrize(
    "text",
    [
        f"{FETCH}{OWN_COLLATE}{STACK}",  # what it stacks may be anything
        f"{FETCH}{OWN_COLLATE}ValueError: bad\n",
        f"{GET}ValueError: bad\n",
        "",
    ],
)
def test_no_item_is_told_of_any_other_error(text: str) -> None:
    assert item_of_batch(text, Rows(), [4, 5, 6, 7]) == NO_ITEM


def test_what_a_stream_gives_has_no_number() -> None:
    assert item_of_batch(f"{FETCH}{GET}ValueError: bad\n", Rows(), [None, None]) == NO_ITEM
