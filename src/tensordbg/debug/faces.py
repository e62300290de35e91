"""Who talks with the user at a stop."""

from __future__ import annotations

from tensordbg.console.console import Face
from tensordbg.debug.plan import DebugPlan


def face_of(plan: DebugPlan) -> Face:
    """A script, a prompt, or a full screen."""
    raise NotImplementedError
