"""The sites that hold names of origins are chosen, and nothing else; all rows go on."""

from __future__ import annotations

from tensordbg.model import BATCH_ORIGINS, ELEMENT_ORIGIN, NONE, Frame, Site
from tensordbg.recording.origin_choice import OriginChoice
from tests.recording.test_value_choice import Kept, Rows


def test_names_of_origins_are_kept_and_all_is_passed_on() -> None:
    rows, kept = Rows(), Kept()
    choice = OriginChoice(rows, kept.choose)  # type: ignore[arg-type]
    sites = [
        Site(1, ELEMENT_ORIGIN, "StringJoin", 0, 0),
        Site(2, f"while/{BATCH_ORIGINS}_1", "StringJoin", 0, 0),
        Site(3, "Log", "Log", NONE, 0),
    ]
    choice.sites(sites)
    choice.stack(0, (Frame("/code/train.py", 3, "main", True),))
    assert kept.sites == {1, 2}
    assert rows.passed == [sites, (0, (Frame("/code/train.py", 3, "main", True),))]
    choice.sites(sites[2:])
    assert kept.changes == 1
