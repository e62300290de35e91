"""Makes of a capture that holds several steps one of the step that left a variable bad, and prints where it is.

    python -m tensordbg.replaying.series_launch PLAN

`tdbg replay` starts this before it replays such a capture.
"""

from __future__ import annotations

import importlib
import sys

from tensordbg.capture.reader import open_capture
from tensordbg.errors import TensordbgError
from tensordbg.recording.support import REPLAY
from tensordbg.replaying.framework import backend_for
from tensordbg.replaying.plan import ReplayPlan


def main() -> None:
    """Narrows the capture of the plan that the command line gives."""
    try:
        plan = ReplayPlan.from_json(sys.argv[1])
        capture = open_capture(plan.capture)
        backend, role = backend_for(capture, REPLAY)
        importlib.import_module(backend.framework)
        sys.stdout.write(f"{role.narrow(capture, plan)}\n")
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
