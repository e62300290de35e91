"""What is told of an error in a worker of a `DataLoader`, also of one that is started anew and no fork."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
    import torch
    from torch.utils.data import DataLoader, Dataset, random_split

    class Rows(Dataset):
        def __len__(self):
            return 12

        def __getitem__(self, row):
            ITEM

    def join(rows):
        JOIN

    if __name__ == "__main__":
        torch.manual_seed(0)
        batches = iter(DataLoader(Rows(), num_workers=2, multiprocessing_context="HOW", SETTINGS))
        while True:
            try:
                print(next(batches).sum().item())
            except StopIteration:
                break
            except ValueError:
                print("left out")
"""

DAMAGED = "if row == 7: raise KeyError(row)\n            return torch.ones(3) * row"
UNEQUAL = "return torch.ones(4 if row == 6 else 3)"
FORBEARING = "if row == 7: raise ValueError(row)\n            return torch.ones(3) * row"


def ran(folder: Path, how: str, item: str, settings: str, *words: str) -> subprocess.CompletedProcess[str]:
    text = textwrap.dedent(PROGRAM.replace("ITEM", item).replace("JOIN", "return torch.stack(rows)"))
    (folder / "train.py").write_text(text.replace("HOW", how).replace("SETTINGS", settings))
    return programs.run(
        [sys.executable, *words, "train.py"], cwd=folder, capture_output=True, check=False, text=True, timeout=500
    )


def told(folder: Path, how: str, item: str, settings: str) -> str:
    done = ran(folder, how, item, settings, "-m", "tensordbg", "run")
    assert done.returncode == 1
    return " ".join(f"{done.stdout} {done.stderr}".split())


@pytest.mark.parametrize(
    ("how", "item", "settings", "expected"),
    [
        ("spawn", DAMAGED, "batch_size=4", "data this call was for item 7 of Rows"),
        ("forkserver", DAMAGED, "batch_size=1, persistent_workers=True", "data this call was for item 7 of Rows"),
        ("spawn", DAMAGED, "batch_size=None", "data this call was for item 7 of Rows"),
        (
            "spawn",
            UNEQUAL,
            "batch_size=4",
            "data this call was for item 6 of Rows, which has [4] where others have [3] train.py:9 def __getitem__",
        ),
        ("fork", DAMAGED, "batch_size=4", "data this call was for item 7 of Rows"),
    ],
)
def test_the_items_are_told_that_the_worker_was_asked_for(
    tmp_path: Path, how: str, item: str, settings: str, expected: str
) -> None:
    said = told(tmp_path, how, item, settings)
    assert expected in said
    assert item is UNEQUAL or "python __getitem__() raised KeyError: 7" in said
    assert item is UNEQUAL or "train.py:10 if row == 7: raise KeyError(row)" in said


def test_of_what_the_program_joins_itself_the_item_is_told_that_has_what_the_message_says(tmp_path: Path) -> None:
    said = told(tmp_path, "spawn", UNEQUAL, "batch_size=4, collate_fn=join")
    assert "stack expects each tensor to be equal size" in said
    assert "this call was for item 6 of Rows, which has [4] where others have [3]" in said


def test_a_program_that_goes_on_behind_the_error_prints_the_same(tmp_path: Path) -> None:
    done, plain = (
        ran(tmp_path, "spawn", FORBEARING, "batch_size=2", *words) for words in (("-m", "tensordbg", "run"), ())
    )
    assert "left out" in plain.stdout
    assert plain.stdout.splitlines() == done.stdout.splitlines()[: len(plain.stdout.splitlines())]
    assert "this call was for" not in done.stdout + done.stderr
    assert done.returncode == plain.returncode == 0
