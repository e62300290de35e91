from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest

from tensordbg.console.console import Answer, Console
from tensordbg.console.pages.page import FixedLines, MadeLines, Page, Span
from tensordbg.console.running import GoKind
from tests.console.fullscreen.driving import Driven, drive


def answering(console: Console, monkeypatch: pytest.MonkeyPatch, word: str, do: Callable[[], Answer]) -> None:
    """Has the console know one command more."""
    plain = console.answer
    monkeypatch.setattr(console, "answer", lambda line: do() if line == word else plain(line))


def test_opens_on_what_the_trace_holds_with_its_tensors_beside(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        rows = await driven.sees("Runs:", "12 tensors of the trace", "x:0")
        assert rows[0].startswith(" tdbg  sample  12 tensors, 1 non-finite")
        assert rows[0].endswith("F2 Tensors [F3 Answer]")
        assert rows[-1].startswith("tdbg>")

    assert drive(console, talk) is None


def test_answers_go_to_the_pane_of_their_kind(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("[F3 Answer]", "x:0")
        await driven.type("lt -f non_finite")
        await driven.sees("[F2 Tensors]", 'passing filter "non_finite"')
        await driven.type("ni Log")
        await driven.sees("[F3 Answer]", "Answer: Node Log", "Source: /code/train.py")
        await driven.type("ps train.py")
        await driven.sees("[F4 Source]", 'passing filter "non_finite"', "Answer: Node Log")

    drive(console, talk)


def test_the_source_line_of_an_answer_stands_out(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.type("ni Log")
        await driven.sees("Source: /code/train.py")
        source = driven.screen._panes["source"]
        await driven.until(lambda: source.sight.marked is not None)
        marked = source.page.lines(source.sight.marked or 0, (source.sight.marked or 0) + 1)[0]
        assert marked[0].text.strip() == "L3"

    drive(console, talk)


def test_what_is_refused_is_said_in_the_status_line_until_the_next_command(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("lits_tensors")
        rows = await driven.sees("no command 'lits_tensors'; did you mean 'list_tensors'?")
        assert "no command" in rows[-3]
        await driven.type("lt")
        await driven.sees("[F2 Tensors]", without="no command")

    drive(console, talk)


def test_a_fault_of_a_command_ends_nothing(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Answer:
        raise ZeroDivisionError("division by zero")

    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("ls")
        await driven.sees("this command failed: ZeroDivisionError: division by zero; the others go on")
        await driven.type("why")
        await driven.sees("harmless (nothing came of it)", without="ZeroDivision")

    answering(console, monkeypatch, "ls", fail)
    drive(console, talk)


def test_exit_ends_the_conversation_and_so_do_ctrl_d_and_ctrl_q(console: Console) -> None:
    async def with_word(driven: Driven) -> None:
        await driven.type("exit")
        await driven.until(lambda: driven.screen.return_value is not None)

    async def with_keys(driven: Driven) -> None:
        await driven.press("ctrl+d")
        await driven.until(lambda: driven.screen.return_value is not None)

    async def with_quit(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.press(*"half a li", "ctrl+q")
        await driven.until(lambda: driven.screen.return_value is not None)

    for talk in (with_word, with_quit, with_keys):
        go = drive(console, talk)
        assert go is not None and go.kind is GoKind.EXIT


def test_what_takes_long_is_given_up_with_ctrl_c(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> Answer:
        while True:
            time.sleep(0.001)

    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("ls")
        await driven.sees("ls ... Ctrl-C gives it up")
        await driven.type("never asked for")
        await driven.press("ctrl+c")
        await driven.sees("given up")
        await driven.type("why")
        await driven.sees("harmless")

    answering(console, monkeypatch, "ls", never)
    drive(console, talk)


def test_lines_typed_while_one_is_answered_wait_for_their_turn(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = Event()

    def wait() -> Answer:
        may_end.wait()
        return Answer()

    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        for line in ("ls", "ni Log", "pt Log:0"):
            await driven.type(line)
        await driven.sees("ls ... Ctrl-C gives it up", without="Numeric summary")
        may_end.set()
        await driven.sees("Numeric summary")
        await driven.press("alt+left")
        await driven.sees("Answer: Node Log")

    answering(console, monkeypatch, "ls", wait)
    drive(console, talk)


def test_links_are_reached_by_tab_and_arrows_and_followed_by_enter(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("why")
        await driven.sees("look at  Log:0")
        await driven.press("tab")
        await driven.sees("Enter: pt Log:0")
        await driven.press("right")
        await driven.sees("Enter: li Log")
        await driven.press("left", "enter")
        await driven.sees('Answer: Tensor "Log:0"')
        await driven.press("escape")
        await driven.sees("F1 keys", without="Enter: ")

    drive(console, talk)


def test_links_menu_and_tabs_are_clicked(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0", "Log:0")
        await driven.click("Log:0", after="Log ")
        await driven.sees('Answer: Tensor "Log:0"')
        await driven.click("li", after=" ni")
        await driven.sees('Inputs to node "Log"')
        await driven.click("F4 Source")
        await driven.sees("[F4 Source]")
        await driven.click("Tensors: ")
        await driven.sees("[F2 Tensors]")

    drive(console, talk)


def test_menu_is_chosen_by_number(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("Alt+1 lt", "3 why")
        await driven.press("alt+3")
        await driven.sees("harmless (nothing came of it)")

    drive(console, talk)


def test_search_highlights_goes_on_and_element_is_gone_to(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    body = MadeLines(500, lambda begin, end: [(Span(f"row {number} of x"),) for number in range(begin, end)])
    page = Page("rows", body, command="rows", anchor=lambda index: index[0])

    def rows() -> Answer:
        console.pages.add(page)
        return Answer(page)

    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("why")
        await driven.sees("harmless")
        await driven.type("ls")
        await driven.sees("row 0 of x")
        await driven.press("f2")
        await driven.press("f3")
        await driven.type("/row .*99")
        await driven.sees("row 99 of x", without="row 0 of x")
        pane = driven.screen._panes["answer"]
        assert pane.sight.marked == 99
        await driven.type("/")
        await driven.sees("row 199 of x", without="row 99 of x")
        await driven.type("@[400, 3]")
        await driven.sees("row 400 of x", without="row 199 of x")
        await driven.type("/nowhere")
        await driven.sees("no line of this page holds 'nowhere'")

    answering(console, monkeypatch, "ls", rows)
    page = replace(page, command="ls_of_rows")
    drive(console, talk)


def test_search_is_about_the_pane_that_keys_move_in(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("why")
        await driven.sees("harmless")
        await driven.press("f2")
        await driven.sees("[F2 Tensors]")
        await driven.type("/Add")
        await driven.until(lambda: driven.screen._panes["tensors"].sight.pattern is not None)
        await driven.sees("[F2 Tensors]", "harmless")

    drive(console, talk)


def test_pages_before_and_after_come_back_as_they_were_left(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("help")
        await driven.sees("Answer: Commands")
        await driven.press("pagedown")
        answer = driven.screen._panes["answer"]
        await driven.until(lambda: answer.scroll_offset.y > 0)
        left = answer.scroll_offset.y
        await driven.type("why")
        await driven.sees("harmless")
        await driven.press("alt+left")
        await driven.sees("Answer: Commands")
        await driven.until(lambda: answer.scroll_offset.y == left)
        await driven.press("alt+right")
        await driven.sees("harmless")
        await driven.type("next")
        await driven.sees("there is no page after this one")

    drive(console, talk)


def test_ten_million_lines_scroll_and_only_those_in_sight_are_made(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def make(begin: int, end: int) -> list[tuple[Span, ...]]:
        made.append(end - begin)
        return [(Span(f"tensor {number:,}", "link", f"pt T_{number}"),) for number in range(begin, end)]

    page = Page("many", MadeLines(10_000_000, make), command="many")

    async def talk(driven: Driven) -> None:
        await driven.sees("x:0")
        await driven.type("ls")
        await driven.sees("tensor 0")
        await driven.press("end")
        await driven.sees("tensor 9,999,999", "of 10,000,000  100%")
        await driven.press("pageup", "ctrl+up")
        await driven.sees("tensor 9,999,954", without="9,999,999")
        await driven.press("home")
        await driven.sees("tensor 0")
        assert sum(made) < 5000

    answering(console, monkeypatch, "ls", lambda: Answer(page))
    drive(console, talk)


def test_a_small_terminal_shows_a_pane_at_a_time_and_a_wide_one_all(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("Answer: sample", without="Tensors: 12")
        await driven.press("f2")
        await driven.sees("Tensors: 12", without="Answer: sample")
        await driven.pilot.resize_terminal(180, 50)
        rows = await driven.sees("Tensors: 12", "Answer: sample")
        assert sum("Tensors: 12" in row and "Answer: sample" in row for row in rows) == 1
        await driven.press("f5")
        await driven.sees("Tensors: 12", without="Answer: sample")
        await driven.press("f5", "f6")
        await driven.sees("[F3 Answer]", "Tensors: 12")
        await driven.pilot.resize_terminal(80, 24)
        await driven.sees("Answer: sample", without="Tensors: 12")

    drive(console, talk, (80, 24))


def test_a_text_is_folded_anew_when_the_terminal_changes(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Page("text", FixedLines(((Span("word " * 30 + "end"),),)), command="text")

    async def talk(driven: Driven) -> None:
        await driven.sees("Answer: sample")
        await driven.type("ls")
        await driven.sees("word end")
        narrow = sum("word" in row for row in driven.rows())
        await driven.pilot.resize_terminal(200, 24)
        await driven.until(lambda: 0 < sum("word" in row for row in driven.rows()) < narrow)

    answering(console, monkeypatch, "ls", lambda: Answer(text))
    drive(console, talk, (80, 24))


def test_keys_and_mouse_are_commands_of_the_screen(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        await driven.sees("mouse on  F1 keys")
        await driven.press("f1")
        await driven.sees("Answer: keys", "Alt+1 ... Alt+9")
        await driven.type("mouse maybe")
        await driven.sees("the mouse is never 'maybe'; type `mouse on` or `mouse off`")
        await driven.type("mouse off")
        await driven.sees("mouse off  F1 keys")
        await driven.type("config set mouse_mode off")
        await driven.type("config set mouse_mode on")
        await driven.sees("mouse on  F1 keys")

    drive(console, talk)


def test_what_other_threads_print_is_held_until_the_screen_is_closed(
    console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    screens = []

    async def talk(driven: Driven) -> None:
        screens.append(driven.screen)
        await driven.sees("x:0")
        print("of the program")
        await driven.pilot.pause()
        assert "of the program" not in driven.text()

    drive(console, talk)
    screens[0].print_what_was_held()
    assert capsys.readouterr().out == "of the program\n"
