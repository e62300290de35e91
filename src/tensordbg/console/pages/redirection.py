"""Writing an answer into a file: `lt > tensors.txt`. What is there already is never overwritten."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from tensordbg.console.pages.page import Page, texts
from tensordbg.console.pages.texts import text_lines
from tensordbg.errors import UsageError


def free_path(path: Path) -> Path:
    """The path, if nothing is there.

    Raises:
        UsageError: If something is.
    """
    path = path.expanduser()
    if path.exists():
        raise UsageError(f"{path}: is there already, and nothing is overwritten; choose another name or remove it")
    return path


def write_page(page: Page, path: Path) -> Page:
    """Writes a page as text, and tells of it.

    Raises:
        UsageError: If the file is there, or can't be written.
    """
    target = free_path(path)
    try:
        with target.open("x", encoding="utf-8") as file:
            heading = [page.title] if page.title else []
            file.writelines(f"{line}\n" for line in chain(heading, texts(page)))
    except OSError as error:
        raise UsageError(f"{target}: can't be written ({error.strerror}); choose another place") from error
    return Page("", text_lines(f"Wrote output to {target} ({len(page):,} lines)"))
