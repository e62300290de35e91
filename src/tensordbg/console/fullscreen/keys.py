"""The page that lists the keys of the screen."""

from __future__ import annotations

from tensordbg.console.pages.page import FixedLines, Line, Page, Span

_KEYS = {
    "The command line": (
        ("Enter", "do what the line says; on an empty line, follow the chosen link"),
        ("Tab", "complete the word: commands, options, tensors, nodes, files, filters"),
        ("Up, Down", "the lines typed before that begin as this one"),
        ("Esc, Ctrl-C", "empty the line; give up what takes long; forget the chosen link and what was searched"),
        ("Ctrl-D, Ctrl-Q", "exit (Ctrl-D on an empty line)"),
        ("Alt+1 ... Alt+9", "the commands in the row above the line"),
    ),
    "The page, while the line is empty": (
        ("Tab, Shift-Tab", "choose the next link, the one before; the arrows then go from link to link"),
        ("Left, Right", "scroll sideways: \u2039 and \u203a show where a line goes on"),
        ("Home, End", "the first lines, the last"),
    ),
    "The page, at any time": (
        ("PgUp, PgDn", "a screen up or down"),
        ("Ctrl-Up, Ctrl-Down", "a line up or down"),
        ("Ctrl-Home, Ctrl-End", "the first lines, the last"),
        ("Alt+\u2190, Alt+\u2192", "the page before, the page after (also `prev`, `next`)"),
        ("/REGEX, /", "go to the first line in which it is found; to the one after that"),
        ("@[I,J]", "go to the element of the tensor that is shown"),
    ),
    "The panes": (
        ("F2, F3, F4", "tensors, answers, source: keys then move there"),
        ("F5", "show the pane alone, or all again; a small terminal shows one at a time"),
        ("F6", "the next pane"),
        ("Ctrl-L", "draw the screen anew"),
        ("F1", "this page"),
    ),
    "The mouse": (
        ("click", "follow a link, a command of the row below, a pane's name at the top"),
        ("wheel, scroll bar", "scroll"),
        ("mouse off, mouse on", "give the mouse to the terminal, to select and copy text; take it again"),
    ),
}


def keys_page() -> Page:
    """All keys, with links to what can be typed instead."""
    lines: list[Line] = [(Span("All commands: "), Span("help", "link", "help"))]
    for heading, keys in _KEYS.items():
        lines += [(), (Span(heading, "heading"),)]
        lines += [(Span(f"  {key:<20}", "bold"), Span(what)) for key, what in keys]
    return Page("keys", FixedLines(tuple(lines)), command="keys")
