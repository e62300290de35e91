"""Regular expressions as a user types them."""

from __future__ import annotations

import re
import warnings

from tensordbg.errors import UsageError


def compile_pattern(text: str) -> re.Pattern[str]:
    """The compiled expression.

    Raises:
        UsageError: If it is none.
    """
    try:
        with warnings.catch_warnings():
            # Python warns of what later releases may read in another way; here it is typed and used at once.
            warnings.simplefilter("ignore")
            return re.compile(text)
    except re.error as error:
        message = f"{text!r} is no regular expression: {error}; write a backslash before signs that are meant"
        raise UsageError(message) from None
