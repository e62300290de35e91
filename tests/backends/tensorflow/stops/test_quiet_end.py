"""Of what comes to standard error while a run is ended from within, TensorFlow's own lines on that are left out."""

from __future__ import annotations

import os

import pytest

from tensordbg.backends.tensorflow.stops.quiet_end import QuietEnd

ABORTING = (
    b"W0000 00:00:1795.8 7212 local_rendezvous.cc:412] Local rendezvous is aborting with status: INVALID_ARGUMENT\n"
)


def test_all_but_the_lines_of_the_rendezvous_arrive(capfd: pytest.CaptureFixture[str]) -> None:
    quiet = QuietEnd()
    quiet.begin()
    quiet.begin()
    os.write(
        2, b"before\n" + ABORTING + b"\t [[{{function_node f}}{{node tdbg_stop/5}}]]\nbehind\n\t [[its own\nno line end"
    )
    quiet.end()
    os.write(2, b", later " + ABORTING)
    quiet.end()
    assert capfd.readouterr().err == "before\nbehind\n\t [[its own\nno line end, later " + ABORTING.decode()
