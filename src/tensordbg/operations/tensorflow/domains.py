"""Where functions of TensorFlow have a finite value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.operation import Domain

_POSITIVE = Domain(0.0, math.inf, "above 0", open=True)
_NOT_NEGATIVE = Domain(0.0, math.inf, "from 0 upwards")
_UNIT = Domain(-1.0, 1.0, "from -1 to 1")
_OPEN_UNIT = Domain(-1.0, 1.0, "between -1 and 1, both excluded", open=True)
_NO_POLE = Domain(0.0, math.inf, "other than 0 and the negative whole ones", open=True)


_INCOMPLETE_GAMMA = (_POSITIVE, _NOT_NEGATIVE.of(1))

DOMAINS: Mapping[str, tuple[Domain, ...]] = MappingProxyType(
    {
        "Acos": (_UNIT,),
        "Acosh": (Domain(1.0, math.inf, "from 1 upwards"),),
        "Asin": (_UNIT,),
        "Atanh": (_OPEN_UNIT,),
        "BesselK0": (_POSITIVE,),
        "BesselK0e": (_POSITIVE,),
        "BesselK1": (_POSITIVE,),
        "BesselK1e": (_POSITIVE,),
        "BesselY0": (_POSITIVE,),
        "BesselY1": (_POSITIVE,),
        "Betainc": (_POSITIVE, _POSITIVE.of(1), Domain(0.0, 1.0, "from 0 to 1", operand=2)),
        "Digamma": (_NO_POLE,),
        "Erfinv": (_OPEN_UNIT,),
        "Expint": (_POSITIVE,),
        "Igamma": _INCOMPLETE_GAMMA,
        "IgammaGradA": _INCOMPLETE_GAMMA,
        "Igammac": _INCOMPLETE_GAMMA,
        "Lgamma": (_NO_POLE,),
        "Ndtri": (Domain(0.0, 1.0, "between 0 and 1, both excluded", open=True),),
        "Polygamma": (_NOT_NEGATIVE, _POSITIVE.of(1)),
        "RandomGamma": (_POSITIVE.of(1),),
        "Spence": (_NOT_NEGATIVE,),
        "StatelessRandomGammaV2": (_POSITIVE.of(2),),
        "StatelessRandomGammaV3": (_POSITIVE.of(4),),
        "Zeta": (Domain(1.0, math.inf, "above 1", open=True), _POSITIVE.of(1)),
    }
)
