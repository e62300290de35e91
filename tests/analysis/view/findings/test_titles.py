from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.finding import Alert, NumericalWarning, Origin, Verdict
from tensordbg.analysis.view.findings.titles import alert_title, origin_title, warning_title, why_harmless
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.why import why
from tensordbg.model import Health


@pytest.fixture
def origin(opened: OpenedTrace) -> Origin:
    """That of the sample trace."""
    return why(opened).origins[0]


@pytest.mark.parametrize(
    ("health", "title"),
    [
        (Health(9, neg_inf=2, nan=1), "Log made 1 × NaN and 2 × -inf"),
        (Health(1, pos_inf=1), "Log made +inf"),
        (Health(20_000, nan=12_000), "Log made 12,000 × NaN"),
        (None, "Log made something that is not finite"),
    ],
)
def test_what_an_origin_made(origin: Origin, health: Health | None, title: str) -> None:
    assert origin_title(replace(origin, view=replace(origin.view, health=health))) == title


def test_what_came_in(origin: Origin) -> None:
    view = replace(origin.view, health=Health(1, nan=1), op_name="x")
    given = replace(origin, view=view, verdict=Verdict("bad_input_data", "", ""))
    assert origin_title(given) == "x came in with NaN"


def test_warnings_and_alerts(origin: Origin) -> None:
    warning = NumericalWarning("dead_units", origin.view, "", None, {}, "", "")
    assert warning_title(warning) == "Dead units: Log:0"
    assert warning_title(replace(warning, variable="kernel")) == "Dead units: kernel"
    assert alert_title(Alert("retracing", "step", "", None, "", "")) == "Retracing: step"


def test_why_harmless(origin: Origin) -> None:
    reaching = replace(origin, reaches=("loss",))
    assert why_harmless(reaching) == ""
    assert why_harmless(replace(origin, reaches=())).startswith("it died out")
    assert why_harmless(replace(reaching, caught="caught by a loss scale")) == "caught by a loss scale"
    assert why_harmless(replace(reaching, allowed="op:Log")) == "allowed, by the rule op:Log"
