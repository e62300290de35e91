from __future__ import annotations

from textual import events

from tensordbg.console.console import Console
from tests.console.fullscreen.driving import Driven, drive


def test_keys_are_done_in_the_order_in_which_they_were_typed(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        line = driven.screen._command
        for key in (*"ab", "backspace", *"c", "home", *"x", "end", *"d"):
            driven.screen._driver.process_message(_key(key))
        await driven.until(lambda: line.value == "xacd")

    drive(console, talk)


def test_letters_typed_behind_enter_begin_the_next_line(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        for key in (*"version", "enter", *"lt"):
            driven.screen._driver.process_message(_key(key))
        await driven.sees("tensordbg 0.")
        assert driven.screen._command.value == "lt"

    drive(console, talk)


def test_lines_come_back_as_far_as_they_begin_alike(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        line = driven.screen._command
        for typed in ("ni Log", "why", "ni x"):
            await driven.type(typed)
        await driven.press("up", "up")
        assert line.value == "why"
        await driven.press("down", "down")
        assert line.value == ""
        await driven.press("n", "up", "up")
        assert line.value == "ni Log"
        await driven.press("down", "down")
        assert line.value == "n"

    drive(console, talk)


def test_tab_completes_as_far_as_all_agree_and_lists_them(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        line = driven.screen._command
        await driven.press(*"list_", "tab")
        await driven.sees("list_tensors", "list_inputs", "list_outputs")
        await driven.press(*"t", "tab")
        assert line.value == "list_tensors "
        await driven.sees("x:0", without="list_outputs")

    drive(console, talk)


def test_escape_empties_the_line_and_ctrl_d_deletes_a_letter(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        line = driven.screen._command
        await driven.press(*"why", "home", "ctrl+d")
        assert line.value == "hy"
        await driven.press("escape")
        assert line.value == ""
        assert driven.screen.return_value is None

    drive(console, talk)


def _key(name: str) -> events.Key:
    return events.Key(name, name if len(name) == 1 else None)
