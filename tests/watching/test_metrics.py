"""Figures as Prometheus reads them."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tensordbg.watching.looking import Looking
from tensordbg.watching.metrics import MetricsServer, metrics_text
from tests.trace.samples import eventful_trace


def test_the_figures_of_a_run(tmp_path: Path) -> None:
    look = Looking(eventful_trace(tmp_path / 'a "run"').finish()).look()
    assert look is not None
    (figures,) = look.figures.values()
    lines = metrics_text(look).splitlines()
    labels = r'{run="a \"run\"",process="train"}'
    assert f"tensordbg_events{labels} {figures.events}" in lines
    assert f"tensordbg_not_finite{labels} {figures.not_finite}" in lines
    assert f"tensordbg_running{labels} 0" in lines
    assert "# TYPE tensordbg_findings gauge" in lines
    assert lines[2] == "tensordbg_watched_runs 1"


def test_the_parser_of_prometheus_reads_the_same_figures(tmp_path: Path) -> None:
    look = Looking(eventful_trace(tmp_path / 'a "run" \\ and').finish()).look()
    assert look is not None
    (figures,) = look.figures.values()
    families = {family.name: family for family in text_string_to_metric_families(metrics_text(look))}
    assert all(family.type == "gauge" and family.documentation for family in families.values())
    (events,) = families["tensordbg_events"].samples
    assert (events.labels, events.value) == ({"run": 'a "run" \\ and', "process": "train"}, figures.events)


def test_the_cost_of_recording_is_told_where_it_was_measured(tmp_path: Path) -> None:
    writer = eventful_trace(tmp_path / "run")
    writer.writer.fact({"overhead": 0.5})
    writer.writer.fact({"overhead": 0.018})
    look, plain = Looking(writer.finish()).look(), Looking(eventful_trace(tmp_path / "plain").finish()).look()
    name = "tensordbg_overhead_ratio"
    assert f'{name}{{run="run",process="train"}} 0.017999999999999999' in metrics_text(look).splitlines()
    assert not any(line.startswith(name) for line in metrics_text(plain).splitlines())


def test_before_there_is_a_run() -> None:
    assert metrics_text(None).splitlines()[-1] == "tensordbg_watched_runs 0"


def test_they_are_served_at_one_place() -> None:
    server = MetricsServer("127.0.0.1", 0)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert answer.read().decode() == metrics_text(None)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/etc/passwd", timeout=10)
    finally:
        server.close()
