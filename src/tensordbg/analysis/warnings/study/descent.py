"""Which of some tensors come first in the data flow: the others may be what follows from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.warnings.study.study import Study

_FARTHEST = 50


def first_of(study: Study, ports: Sequence[int]) -> list[int]:
    """Those ports that are made from none of the others; variables first, then in the order of the program.

    In a circle the first in the order of the program stands for all.
    """
    behind = made_of(study, ports)
    first = [port for port in ports if not behind[port]] or list(ports[:1])
    return sorted(first, key=lambda port: (port not in study.variable_of, study.ports.site[port], port))


def nearest(study: Study, port: int) -> int:
    """The recorded port that one without a tensor of its own passes on; itself, where that is not known."""
    here = port
    for _ in range(_FARTHEST):
        if here in study.at:
            return here
        before = study.wiring.parents(here)
        if len(before) != 1:
            break
        here = before[0]
    return port


def made_of(study: Study, ports: Sequence[int]) -> Bools:
    """For each port whether it is made from any of some ports; a port is not made from itself."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[[child for port in ports for child in study.wiring.children(port)]] = True
    return study.wiring.descendants(marks)
