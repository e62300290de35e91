from __future__ import annotations

import pickle
import threading

from tensordbg.backends.torch.check.raised import BadNumberError, tell
from tensordbg.checking.found import CheckFound
from tensordbg.recording.carried import carried

FOUND = CheckFound("output 0", (("NaN", 1),), "train.py")


def test_it_says_what_waits_for_its_thread() -> None:
    tell(threading.get_ident(), "a NaN", FOUND)
    error = BadNumberError()
    assert str(error) == "a NaN"
    assert carried(error, CheckFound) == FOUND
    assert str(BadNumberError()) == ""


def test_what_waits_for_another_thread_stays() -> None:
    tell(-1, "elsewhere", FOUND)
    assert str(BadNumberError()) == ""


def test_a_worker_can_send_it_to_another_process() -> None:
    tell(threading.get_ident(), "a NaN", FOUND)
    sent = pickle.dumps(BadNumberError())
    assert str(pickle.loads(sent)) == "a NaN"
