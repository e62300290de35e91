"""A typed line, taken apart: words, quotes, slices in brackets, and the file that the answer goes to.

    pt "my tensor:0"[0, :, ...] -r [[-inf, -1], [1, inf]] > file.txt

Quotes and brackets hold blanks together; a quote is dropped where it begins a word, brackets stay. A backslash means
nothing, since it stands in patterns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.errors import UsageError

_QUOTES = "\"'"
_CLOSING = {"[": "]", "(": ")"}


@dataclass(frozen=True)
class Word:
    """A word of a line."""

    text: str
    begin: int
    """Where it begins in the line, with its quote."""
    quoted: bool = False
    """Whether it stands in quotes as a whole."""


@dataclass(frozen=True)
class Typed:
    """A line."""

    words: tuple[str, ...]
    """The command first; empty for an empty line."""
    target: str = ""
    """The file that the answer goes to; empty where it is shown."""


def parse_line(line: str) -> Typed:
    """Takes a line apart.

    Raises:
        UsageError: If a quote is left open, or `>` names no file or several.
    """
    words = list(split_words(line))
    if _has_condition(words):
        return Typed(tuple(word.text for word in words))
    signs = [place for place, word in enumerate(words) if _is_target(word)]
    if not signs:
        return Typed(tuple(word.text for word in words))
    first = signs[0]
    named = [name for name in (words[first].text[1:], *(word.text for word in words[first + 1 :])) if name]
    if len(named) != 1:
        raise UsageError("`>` takes one file to write the answer to, as the last word, such as `lt > tensors.txt`")
    return Typed(tuple(word.text for word in words[:first]), named[0])


def split_words(line: str) -> Iterator[Word]:
    """The words of a line.

    Raises:
        UsageError: If a quote is left open.
    """
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
            continue
        end = _end_of_word(line, place)
        text = line[place:end]
        quoted = text[0] in _QUOTES and text.find(text[0], 1) == len(text) - 1
        yield Word(_without_quotes(text), place, quoted)
        place = end


def split_commands(script: str) -> list[str]:
    """The commands of a script: one a line, or several with `;` between them; what follows a `#` is a comment."""
    found = []
    for line in script.splitlines():
        begin, place = 0, 0
        while place < len(line):
            sign = line[place]
            if sign in _QUOTES and line.find(sign, place + 1) != -1:
                place = line.find(sign, place + 1)
            elif sign == "#" and (place == 0 or line[place - 1].isspace()):
                break
            elif sign == ";":
                found.append(line[begin:place])
                begin = place + 1
            place += 1
        found.append(line[begin:place])
    return [command.strip() for command in found if command.strip()]


def _has_condition(words: list[Word]) -> bool:
    """Whether it is a breakpoint with a condition, in which `>` compares."""
    return bool(words) and words[0].text in {"break", "b"} and any(word.text == "if" for word in words[2:])


def _is_target(word: Word) -> bool:
    return word.text.startswith(">") and not word.text.startswith(">=") and not word.quoted


def _end_of_word(line: str, begin: int) -> int:
    """Where the word that begins here ends."""
    place = begin
    while place < len(line) and not line[place].isspace():
        sign = line[place]
        if sign in _QUOTES and (place == begin or line[place - 1] in "=>"):
            end = line.find(sign, place + 1)
            if end == -1:
                raise UsageError(f"the quote {line[place:]!r} has no end; put another behind the text")
            place = end
        elif sign in _CLOSING:
            place = _end_of_bracket(line, place)
        place += 1
    return place


def _end_of_bracket(line: str, begin: int) -> int:
    """Where the bracket that opens here is closed; where it never is, it is a sign like others."""
    depth = 0
    opening, closing = line[begin], _CLOSING[line[begin]]
    for place in range(begin, len(line)):
        depth += (line[place] == opening) - (line[place] == closing)
        if not depth:
            return place
    return begin


def _without_quotes(text: str) -> str:
    """The text without the quotes around its first part."""
    lead = ">" if text.startswith(">") else ""
    rest = text.removeprefix(lead)
    if rest[:1] in _QUOTES and rest:
        end = rest.find(rest[0], 1)
        return lead + rest[1:end] + rest[end + 1 :]
    return text
