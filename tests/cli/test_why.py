from __future__ import annotations

from tests.cli.conftest import Invoke


def test_report(invoke: Invoke) -> None:
    said = invoke("why")
    assert (said.code, said.err) == (0, "")
    assert "Log:0" in said.out


def test_json(invoke: Invoke) -> None:
    result = invoke("why", "tdbg-traces", "--json").json
    assert (result["format"], result["status"], result["non_finite_events"]) == (1, "non_finite", 1)
    assert [origin["tensor"] for origin in result["origins"]] == ["Log:0"]
