"""Every route of the server, asked what its own description allows and what it does not, by schemathesis.

Answers must be as described, what is wrong must be refused, and nothing may be the server's own fault.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import positive_data_acceptance
from schemathesis.config import SchemathesisConfig

from tensordbg.server.openapi import description
from tensordbg.server.serving import Address, Server
from tests.sample_trace import TENSOR_EVENTS, make_sample_trace

FEW = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

# Any text is a search, a slice or a sort key to the description, but not to their languages.
NOT_FOR_US = [positive_data_acceptance]

HELD: dict[str, dict[str, Any]] = {
    "run": {"enum": ["", "sample"]},
    "process": {"enum": [""]},
    "event": {"type": "integer", "minimum": 0, "maximum": TENSOR_EVENTS - 1},
    "execution": {"type": "integer", "minimum": 1, "maximum": 6},
    "search": {"enum": ["", "Log", "op:Log step:1..", "-nonfinite min:<0", "file:train.py line:3", "dtype:float64"]},
    "cursor": {"type": "integer", "minimum": 0, "maximum": 20},
    "order": {"enum": ["event", "time", "mean", "nonfinite", "op"]},
    "tensor": {"enum": ["Log:0", "mul:0", "x:0", "Add:0"]},
    "function": {"enum": [""]},
    "operation": {"enum": ["", "Log"]},
    "opened": {"type": "array", "items": {"enum": ["call"]}, "maxItems": 2},
    "file": {"enum": ["/code/train.py"]},
    "slice": {"enum": ["", "[0]", "[:, 1]"]},
    "begin_ns": {"type": "integer", "minimum": 0, "maximum": 1_000_000_005_000},
    "end_ns": {"type": "integer", "minimum": 1_000_000_010_000, "maximum": 2_000_000_000_000},
    "wait": {"type": "number", "minimum": 0, "maximum": 0.01},
}
"""What the sample trace holds, so that requests find something."""


def held() -> dict[str, Any]:
    """The description, with each parameter narrowed to what the sample trace holds."""
    narrowed = copy.deepcopy(description())
    for path in narrowed["paths"].values():
        for parameter in path["get"]["parameters"]:
            parameter["schema"] = HELD.get(parameter["name"], parameter["schema"])
    return narrowed


described = schemathesis.openapi.from_dict(description())
found = schemathesis.openapi.from_dict(
    held(),
    config=SchemathesisConfig.from_dict({"generation": {"mode": "positive", "allow-extra-parameters": False}}),
)


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server over the sample trace."""
    folder = make_sample_trace(tmp_path_factory.mktemp("traces") / "sample")
    server = Server(folder, Address())
    running = threading.Thread(target=server.run)
    running.start()
    yield server.link.rstrip("/")
    server.stop()
    running.join(30)


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """Keeps the connection between requests."""
    with requests.Session() as session:
        yield session


@described.parametrize()
@FEW
def test_any_request(case: schemathesis.Case, link: str, session: requests.Session) -> None:
    case.call_and_validate(base_url=link, session=session, excluded_checks=NOT_FOR_US)


@found.parametrize()
@FEW
def test_requests_for_what_is_there(case: schemathesis.Case, link: str, session: requests.Session) -> None:
    response = case.call_and_validate(base_url=link, session=session, excluded_checks=NOT_FOR_US)
    # No elements are kept in the sample, and a graph needs an event or a function.
    assert response.status_code == 200 or case.operation.path.startswith(("/api/values", "/api/graph")), response.text
