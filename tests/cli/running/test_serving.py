"""The page of a trace is served until Ctrl-C."""

from __future__ import annotations

import webbrowser
from typing import Any

import pytest

from tensordbg.cli.running.serving import serve


class Interrupted:
    link = "http://127.0.0.1:7/secret/"

    def run(self) -> None:
        raise KeyboardInterrupt


def test_the_link_is_printed_and_ctrl_c_is_no_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    server: Any = Interrupted()
    serve("runs/a", lambda: server, browser=False)
    assert capsys.readouterr().out == "runs/a: http://127.0.0.1:7/secret/ (Ctrl-C ends this)\n"
    assert opened == []
