"""Ctrl-C asks for a stop; the second one interrupts, and a prompt has its own."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tensordbg.debug.interrupt import Interrupt


@pytest.fixture
def interrupt() -> Iterator[Interrupt]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    found = Interrupt()
    found.install()
    yield found
    signal.signal(signal.SIGINT, before)


def test_the_first_one_is_an_answer_to_the_next_question(
    interrupt: Interrupt, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not interrupt.waits
    signal.raise_signal(signal.SIGINT)
    assert interrupt.waits
    assert [interrupt.asked(), interrupt.asked()] == [True, False]
    assert "the program stops at its next run; Ctrl-C once more interrupts it" in capsys.readouterr().err


def test_the_second_one_interrupts(interrupt: Interrupt) -> None:
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert not interrupt.waits


def test_at_a_prompt_it_means_what_it_means_there(interrupt: Interrupt) -> None:
    with interrupt.left_alone(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert not interrupt.waits
    signal.raise_signal(signal.SIGINT)
    assert interrupt.asked()


def test_a_program_that_takes_it_itself_keeps_it() -> None:
    taken: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: taken.append(number))
    try:
        interrupt = Interrupt()
        interrupt.install()
        signal.raise_signal(signal.SIGINT)
        interrupt.uninstall()
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert taken == [signal.SIGINT] * 2
    assert not interrupt.waits
