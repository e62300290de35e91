from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.stopping.plan import StopPlace, StopPlan


def test_a_plan_comes_back_from_its_word() -> None:
    plan = StopPlan((StopPlace("model.py", 3, "x > 1"), StopPlace("/a/b.py", 4)), 5678)
    assert StopPlan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("named", "file", "meant"),
    [
        ("model.py", "/p/model.py", True),
        ("net/model.py", "/p/net/model.py", True),
        ("net/model.py", "/p/other/model.py", False),
        ("model.py", "/p/my_model.py", False),
        ("/p/model.py", "/p/model.py", True),
        ("/p/model.py", "/q/model.py", False),
    ],
)
def test_a_file_is_known_by_its_path_or_the_end_of_it(named: str, file: str, meant: bool) -> None:
    assert StopPlace(named, 1).is_of(file) is meant


def test_a_folder_may_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "model.py").write_text("")
    (tmp_path / "other").symlink_to(tmp_path / "real")
    assert StopPlace(str(tmp_path / "other" / "model.py"), 1).is_of(str(tmp_path / "real" / "model.py"))
