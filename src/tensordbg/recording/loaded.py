"""What else a program has loaded that computes numbers: libraries that are not recorded, for what comes from them."""

from __future__ import annotations

import sys

from tensordbg.packages import COMPUTING


def loaded_libraries() -> list[str]:
    """Those of them that this process has imported, whatever the text of the program says."""
    return [name for name in sorted(COMPUTING) if sys.modules.get(name) is not None]
