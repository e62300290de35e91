from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.errors import UsageError
from tensordbg.importers.tfdbg2.logs import describing, find_logs
from tests.importers.tfdbg2.logbuilder import LogBuilder


def test_what_the_name_and_the_metadata_say(log: LogBuilder) -> None:
    (found,) = find_logs(log.folder)
    assert (found.host, found.seconds, found.run, found.version) == ("vm", 1700000000, "abcd1234", "2.21.0")
    assert set(found.files) == {"metadata"}
    assert list(found.events("execution")) == []


def test_hosts_with_dots_several_runs_and_subfolders(tmp_path: Path) -> None:
    LogBuilder(tmp_path / "a", "one.example.org", 10, "r1")
    LogBuilder(tmp_path / "a", "two.example.org", 11, "r1")
    LogBuilder(tmp_path / "b" / "deep", "one.example.org", 12, "r2")
    assert sorted((log.host, log.run) for log in find_logs(tmp_path)) == [
        ("one.example.org", "r1"),
        ("one.example.org", "r2"),
        ("two.example.org", "r1"),
    ]


def test_a_log_without_metadata_is_found(log: LogBuilder) -> None:
    log.execution("Log", 2.0)
    log.path("metadata").unlink()
    (found,) = find_logs(log.folder)
    assert (found.run, found.version) == ("", "")


def test_the_first_host_describes_a_run(tmp_path: Path) -> None:
    first, second = LogBuilder(tmp_path, "chief", 10), LogBuilder(tmp_path, "worker", 11)
    first.graph("g1", "train")
    second.trace("g1", "Log", 5.0)
    logs = {log.host: log for log in find_logs(tmp_path)}
    assert describing(logs["worker"], list(logs.values())) is logs["chief"]
    assert describing(logs["chief"], list(logs.values())) is logs["chief"]


def test_no_folder_and_no_logs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder; name the one"):
        find_logs(tmp_path / "none")
    (tmp_path / "tfdbg_events.nothing").touch()
    with pytest.raises(UsageError, match="holds no logs"):
        find_logs(tmp_path)
