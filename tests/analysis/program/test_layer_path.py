from __future__ import annotations

from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.model import NONE, Site


def test_the_layer_that_a_site_tells() -> None:
    told = '{"path": "model/dense", "class": "Dense", "output_of": []}'
    assert layer_path(Site(0, "x", "Mul", 0, NONE, layer=told)) == "model/dense"


def test_no_layer() -> None:
    assert layer_path(Site(0, "x", "Mul", 0, NONE)) == ""
