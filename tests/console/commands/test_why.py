from __future__ import annotations

from tensordbg.console.console import Console
from tests.console.recorded import LOG_LINE, text


def test_the_origin_is_named_with_its_line_and_leads_on(console: Console) -> None:
    page = console.answer("why").page
    assert page is not None
    said = text(console, "why")
    assert "Log:0 in train_step() produced the first -inf" in said
    assert "cause   log_of_zero" in said
    assert page.place is not None
    assert page.place.line == LOG_LINE
    commands = [span.command for line in page.lines(0, len(page)) for span in line if span.command]
    assert f"pt Log:0 -e {page.event}" in commands
