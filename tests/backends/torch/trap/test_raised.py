from __future__ import annotations

import pickle

from tensordbg.torch import BadStepError


def test_it_can_be_sent_to_another_process() -> None:
    assert str(pickle.loads(pickle.dumps(BadStepError("step 3 is bad")))) == "step 3 is bad"
