"""Which comes first in the data flow."""

from __future__ import annotations

from tensordbg.analysis.warnings.study.descent import first_of, made_of, nearest
from tests.analysis.warnings.network import network, series_named, studied


def test_first_in_the_flow_variables_before_all() -> None:
    seen = studied(network(steps=3))
    port = {name: int(seen.port[series_named(seen, name)]) for name in ("x", "kernel", "MatMul", "Relu", "loss")}
    assert first_of(seen, sorted(port.values())) == [port["kernel"], port["x"]]
    assert first_of(seen, [port["MatMul"], port["loss"]]) == [port["MatMul"]]


def test_a_port_is_not_made_of_itself() -> None:
    seen = studied(network(steps=3))
    relu = int(seen.port[series_named(seen, "Relu")])
    made = made_of(seen, [relu])
    assert not made[relu]
    assert made[seen.port[series_named(seen, "loss")]]
    assert not made_of(seen, []).any()


def test_the_nearest_recorded_one() -> None:
    seen = studied(network(steps=3))
    loss = int(seen.port[series_named(seen, "loss")])
    identity = next(site for site in seen.program.sites.values() if site.op_type == "Identity")
    assert nearest(seen, int(seen.ports.first[identity.site])) == loss
    assert nearest(seen, loss) == loss
