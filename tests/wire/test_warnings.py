from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np

from tensordbg.analysis.why import why
from tensordbg.wire.warnings import warning_to_json
from tests.analysis.warnings.network import network


def test_all_of_it() -> None:
    (warning,) = why(network({"Relu": lambda _: np.zeros((8, 5))})).warnings
    wire = warning_to_json(warning)
    assert wire["kind"] == "dead_units"
    assert (wire["tensor"], wire["op_type"], wire["shape"], wire["variable"]) == ("Relu:0", "Relu", [8, 5], None)
    assert wire["source"]["line"] == 12
    assert wire["health"]["zero"] == 40
    assert wire["evidence"]["share"] == 1.0
    assert json.loads(json.dumps(wire, allow_nan=False)) == wire


def test_what_json_lacks_is_null() -> None:
    (warning,) = why(network({"Relu": lambda _: np.zeros((8, 5))})).warnings
    wire = warning_to_json(replace(warning, source=None, evidence={"ratio": math.inf}))
    assert (wire["source"], wire["evidence"]) == (None, {"ratio": None})
