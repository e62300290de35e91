"""`python -m tensordbg` is `tdbg`."""

from __future__ import annotations

from tensordbg.cli import main

main()
