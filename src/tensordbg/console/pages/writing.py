"""Writes the elements of a tensor into a file of NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.console.pages.page import Page
from tensordbg.console.pages.redirection import free_path
from tensordbg.console.pages.texts import text_lines
from tensordbg.errors import UsageError
from tensordbg.report.numbers import count


def write_elements(array: npt.NDArray[Any], path: str) -> Page:
    """Writes an array, and tells of it.

    Raises:
        UsageError: If the file is there, or can't be written.
    """
    target = free_path(Path(path))
    try:
        with target.open("xb") as file:
            np.save(file, array, allow_pickle=False)
        size = target.stat().st_size
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{target}: can't be written ({said}); choose another place or tensor") from error
    return Page("", text_lines(f"Saved value to: {target} ({count(size)}B), {array.dtype}{list(array.shape)}"))
