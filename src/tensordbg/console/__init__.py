"""The console: commands on a trace, finished or growing, and the page of lines that each of them answers with.

A page (`pages/page.py`) is a title and lines that are made as they are looked at, of spans that have a meaning and
may type a command when they are chosen. So one set of commands serves three faces: the prompt (`plain/`), scripts and
pipes (`plain/script.py`), and the full screen (`fullscreen/`, the only place of textual). A command is a module in
`commands/`, parsed by click, found in `command_table.py`, and works on an `OpenedTrace`, as the browser's page does;
a line that comes after the trace has grown gets a new one, while older pages keep theirs. What runs a program is
behind the protocol `Runner` (`running.py`): commands such as `run` become a frozen `Go`, which the face hands out.

The screen draws only the lines in sight; answers are computed in a thread of their own (`fullscreen/working.py`),
which can be given up. It is opened inside of the user's program at each stop: `fullscreen/terminal.py` puts signals,
event loops and the terminal's settings back, and a fault in it hands the conversation to the prompt. Filters are
conditions on columns (`language/conditions.py`, `language/statistics.py`); `eval` and they compute with a walk over
Python's syntax tree that knows what is allowed (`language/evaluation.py`).
"""
