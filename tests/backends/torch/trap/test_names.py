from __future__ import annotations

import pytest

from tensordbg.backends.torch.trap.names import named_memories, program_frames
from tensordbg.backends.torch.trap.step_log import StepLog

torch = pytest.importorskip("torch")


def test_what_comes_from_outside_has_the_names_of_the_program() -> None:
    log = StepLog()
    log.start(lambda _: None)
    everything, batch = torch.ones(6, 2), {"labels": torch.ones(3)}
    rows = everything[2:4]
    log.begin()
    (rows * 2).sum() + batch["labels"].sum() + torch.from_numpy(torch.ones(5).numpy()).log().sum()
    noted = log.take()
    assert noted is not None
    found = dict(named_memories(noted, log.find, program_frames()))
    log.stop()
    assert list(found) == ["rows", "batch.labels", "outside2"]
    assert found["rows"].offset == 4
