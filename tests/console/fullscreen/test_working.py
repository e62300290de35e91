from __future__ import annotations

import time
from threading import Event

from tensordbg.console.fullscreen.working import Job


def test_a_job_is_done_beside_what_started_it() -> None:
    begun, may_end, ended = Event(), Event(), Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        ended.set()

    Job(work, lambda: None)
    assert begun.wait(60)
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(60)


def test_a_job_that_is_given_up_stops_in_the_middle_and_says_so() -> None:
    begun, given_up = Event(), Event()
    cleaned = []

    def work() -> None:
        try:
            begun.set()
            while True:
                time.sleep(0.001)
        except Exception as error:  # noqa: BLE001 - what a command may do
            cleaned.append(error)
        finally:
            cleaned.append("finally")

    job = Job(work, given_up.set)
    assert begun.wait(60)
    job.give_up()
    assert given_up.wait(60)
    assert cleaned == ["finally"]


def test_giving_up_twice_leaves_no_exception_due() -> None:
    stopping, may_end, ended = Event(), Event(), Event()

    def never() -> None:
        while True:
            time.sleep(0.001)

    def given_up() -> None:
        stopping.set()
        may_end.wait()
        ended.set()

    job = Job(never, given_up)
    job.give_up()
    assert stopping.wait(60)
    job.give_up()
    may_end.set()
    assert ended.wait(60)


def test_giving_up_what_is_done_already_does_nothing() -> None:
    done, given_up = Event(), Event()
    job = Job(done.set, given_up.set)
    assert done.wait(60)
    job._thread.join(60)
    job.give_up()
    assert not given_up.is_set()
