"""Libraries that a program has loaded and that compute numbers without being recorded."""

from __future__ import annotations

import sys

from tensordbg.packages import COMPUTING


def loaded_libraries() -> list[str]:
    """Those of them that this process has imported, whatever the text of the program says."""
    return [name for name in sorted(COMPUTING) if sys.modules.get(name) is not None]
