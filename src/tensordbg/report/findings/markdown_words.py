"""Texts made safe for Markdown: names and sources come from the program, and must stay what they are.

What is meant for trackers such as those of GitHub and GitLab: no HTML, link, picture, mention, reference to an issue or
formula may come out of a name. The rules are those of the GitHub Flavored Markdown specification.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensordbg.controls import escaped

_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~$&]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", "|": "&vert;"}
"""In place of a backslash, which would not do in a table or before HTML."""
_NOTHING = "\u200b"
"""A space without width, which keeps `@name` from being a mention and `#1` from being an issue."""


def code(text: str) -> str:
    """A name as code, whatever is in it; line breaks and other control characters become blanks."""
    flat = escaped(re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", " ", text))
    if not flat.strip():
        return ""
    fence = "`" * (_longest_run(flat) + 1)
    # One blank at either end is taken off again, and is needed where a backtick stands there, or a blank.
    edge = " " if flat[0] in "` " or flat[-1] in "` " else ""
    return f"{fence}{edge}{flat}{edge}{fence}"


def prose(text: str) -> str:
    """A sentence of ours with names in it; what stands between backticks stays code, nothing else is markup."""
    parts = _CODE.split(escaped(" ".join(text.split())))
    return "".join(code(part[1:-1]) if k % 2 else _plain(part) for k, part in enumerate(parts))


def code_block(text: str, language: str = "") -> str:
    """Lines of source between fences that are longer than any within."""
    fence = "`" * max(3, _longest_run(text) + 1)
    lines = escaped("\n".join(text.splitlines()))
    return f"{fence}{language}\n{lines}\n{fence}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already, under its first row."""
    head, *body = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    rule = " | ".join("---" for _ in rows[0])
    return "\n".join(f"| {line} |" for line in (head, rule, *body))


def _plain(text: str) -> str:
    escaped = _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), text)
    escaped = re.sub(r"([@#])(?=\w)", rf"\1{_NOTHING}", escaped)
    escaped = re.sub(r"(?i)\b(gh)-(?=\d)", rf"\1-{_NOTHING}", escaped)
    return re.sub(r"(?i)(www)\.|:(?=//)", lambda match: f"{match[1]}\\." if match[1] else "\\:", escaped)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
