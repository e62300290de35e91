"""Which pane shows the answer to a command, and how the panes share the screen."""

from __future__ import annotations

TENSORS, ANSWER, SOURCE = "tensors", "answer", "source"

HEADINGS = {TENSORS: "Tensors", ANSWER: "Answer", SOURCE: "Source"}
"""The panes in the order of their keys F2, F3, F4, with what stands in their frames."""

_HOMES = {
    **dict.fromkeys(("list_tensors", "lt"), TENSORS),
    **dict.fromkeys(("print_source", "ps", "list_source", "ls"), SOURCE),
}

WIDTHS = [(0, "-narrow"), (100, "-medium"), (160, "-wide")]
HEIGHTS = [(0, "-tiny"), (8, "-low"), (30, "-high")]
"""Classes of the screen by its columns and rows: a small one shows a pane at a time, a wide one has two columns."""

STYLE = """
Screen { layout: vertical; overflow: hidden; }
#header { height: 1; text-style: bold; background: ansi_blue; color: ansi_bright_white; }
#panes { height: 1fr; layout: vertical; }
Pane {
    height: 1fr; width: 1fr; border-top: solid ansi_blue; border-title-color: ansi_default;
    scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: auto; overflow-y: auto;
}
Pane.active { border-top: heavy ansi_cyan; border-title-style: bold; border-title-color: ansi_cyan; }
Pane.bad { border-title-color: ansi_red; }
Pane.empty { display: none; }
#panes.zoomed Pane, .-narrow Pane, .-low Pane, .-tiny Pane { display: none; }
#panes.zoomed Pane.active, .-narrow Pane.active, .-low Pane.active, .-tiny Pane.active { display: block; }
.-high #answer { height: 3fr; }
.-high Pane { min-height: 7; }
.-wide.-high #panes { layout: grid; grid-size: 2; grid-columns: 1fr 1fr; grid-rows: 3fr 2fr; }
.-wide.-high #answer { row-span: 2; height: 1fr; padding-left: 1; }
#panes.zoomed { layout: vertical !important; }
.-tiny #header, .-tiny #menu, .-tiny #status { display: none; }
#candidates { height: auto; max-height: 6; display: none; color: ansi_cyan; padding: 0 1; }
#candidates.open { display: block; }
#status { height: 1; padding: 0 1; text-style: dim; }
#status.told { text-style: none; }
#status.bad { color: ansi_red; text-style: bold; }
#menu { height: 1; }
#prompt { height: 1; layout: horizontal; }
#prompt Label { width: auto; text-style: bold; }
CommandLine { width: 1fr; height: 1; border: none; padding: 0; background: ansi_default; }
CommandLine > .input--cursor { text-style: reverse; color: ansi_default; background: ansi_default; }
"""


def pane_of(command: str) -> str:
    """The pane that shows the answer to a command."""
    words = command.split(maxsplit=1)
    return _HOMES.get(words[0], ANSWER) if words else ANSWER
