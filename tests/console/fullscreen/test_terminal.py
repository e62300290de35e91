from __future__ import annotations

import asyncio
import signal

import pytest

from tensordbg.console.fullscreen.terminal import borrowed_terminal


def own_handler(number: int, frame: object) -> None:
    """Stands for a handler of the program."""


def test_signals_that_the_screen_takes_are_given_back() -> None:
    before = signal.signal(signal.SIGWINCH, own_handler)
    try:
        with borrowed_terminal():
            signal.signal(signal.SIGWINCH, signal.SIG_DFL)
            signal.signal(signal.SIGTSTP, own_handler)
        assert signal.getsignal(signal.SIGWINCH) is own_handler
        assert signal.getsignal(signal.SIGTSTP) is not own_handler
    finally:
        signal.signal(signal.SIGWINCH, before)


def test_all_is_given_back_after_an_error_too() -> None:
    def fail() -> None:
        with borrowed_terminal():
            signal.signal(signal.SIGCONT, own_handler)
            raise ValueError("of the screen")

    before = signal.getsignal(signal.SIGCONT)
    with pytest.raises(ValueError, match="of the screen"):
        fail()
    assert signal.getsignal(signal.SIGCONT) is before


def test_a_program_that_stands_in_a_coroutine_goes_on_in_it() -> None:
    async def program() -> list[str]:
        lines = ["before"]
        with borrowed_terminal() as loop:
            lines.append(loop.run_until_complete(asyncio.sleep(0, "screen")))
        assert asyncio.get_running_loop() is not loop
        assert loop.is_closed()
        await asyncio.sleep(0)
        return [*lines, "after"]

    assert asyncio.run(program()) == ["before", "screen", "after"]


def test_the_loop_that_a_program_has_set_stays_set() -> None:
    mine = asyncio.new_event_loop()
    asyncio.set_event_loop(mine)
    try:
        with borrowed_terminal() as loop:
            loop.run_until_complete(asyncio.sleep(0))
        assert asyncio.get_event_loop() is mine
    finally:
        asyncio.set_event_loop(None)
        mine.close()
