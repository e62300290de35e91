from __future__ import annotations

from tensordbg.server.settings import Settings, local_hosts


def test_loopback_is_known_by_three_names_with_the_port() -> None:
    assert local_hosts(8000) == {"localhost:8000", "127.0.0.1:8000", "[::1]:8000"}


def test_browsers_leave_out_the_port_80() -> None:
    assert "localhost" in local_hosts(80)


def test_nobody_may_frame_the_page_unless_it_is_said() -> None:
    assert Settings().frame_ancestors == "'none'"
