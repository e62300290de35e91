"""Which tensors are recorded of a run, as the console was told, for the recorder."""

from __future__ import annotations

import re

from tensordbg.console.running import Recorded
from tensordbg.health.spec import DTYPES
from tensordbg.recording.tensor_filter import TensorFilter


def wanted_tensors(recorded: Recorded) -> TensorFilter:
    """The filter for the recorder; patterns match from the beginning, as the old debugger's did."""
    dtypes = None
    if recorded.dtype:
        dtypes = frozenset(number for number, name in enumerate(DTYPES) if re.match(recorded.dtype, name))
    return TensorFilter(recorded.op_type, dtypes, recorded.node_name)
