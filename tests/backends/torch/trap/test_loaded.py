from __future__ import annotations

import pytest

from tensordbg.backends.torch.trap.loaded import Loaded

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_what_a_loader_gave_is_known_until_it_is_written_or_computed_with() -> None:
    loaded = Loaded()
    undo = loaded.watch()
    data = torch.utils.data.TensorDataset(torch.rand(6, 2), torch.rand(6))
    try:
        ((x, y),) = torch.utils.data.DataLoader(data, batch_size=6)
    finally:
        undo()
    assert (loaded.gave(x), loaded.gave(x.view(2, 6).float()), loaded.gave(y)) == (True, True, True)
    assert not loaded.gave(x * 1)
    x.log_()
    assert (loaded.gave(x), loaded.gave(y)) == (False, True)


def test_a_memory_that_is_made_anew_in_the_place_of_a_batch_is_not_taken_for_it() -> None:
    loaded = Loaded()
    for _ in range(50):
        batch = torch.rand(1000)
        loaded.note([batch])
        del batch
        assert not loaded.gave(torch.rand(1000))


def test_a_batch_of_anything_does_no_harm() -> None:
    loaded = Loaded()
    loaded.note([torch.eye(2).to_sparse(), object(), "text", None])
    assert not loaded.gave(torch.eye(2).to_sparse())


def test_nothing_is_noted_behind_its_end() -> None:
    loaded = Loaded()
    loaded.watch()()
    (x,) = torch.utils.data.DataLoader(torch.rand(4, 2), batch_size=4)
    assert not loaded.gave(x)
