"""The alerts in the report of `tdbg why`: a few lines below the origins."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tensordbg.analysis.finding import Alert
from tensordbg.report.numbers import count

_LISTED = 3


def alert_lines(alerts: Sequence[Alert]) -> list[RenderableType]:
    """The section with its heading; nothing where there are none."""
    if not alerts:
        return []
    parts: list[RenderableType] = [Text(), Text("alerts:", style="bold")]
    for alert in alerts[:_LISTED]:
        place = f"{alert.source.place}: " if alert.source else ""
        said = Text(f"{place}{alert.explanation}")
        said.append(f"; {alert.suggestion}", style="dim")
        parts.append(Padding(said, (0, 0, 0, 2), expand=False))
    if len(alerts) > _LISTED:
        parts.append(Text(f"  and {count(len(alerts) - _LISTED)} more; --json tells all", style="dim"))
    return parts
