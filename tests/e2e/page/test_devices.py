"""The page of a training whose replicas run on several devices, and whose program has several threads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.recorded import record

PROGRAM = """
import threading

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/CPU:0", "/CPU:1"])
with strategy.scope():
    weight = tf.Variable(1.0)


@tf.function
def train_step(x):
    def replica():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        # The second one goes wrong in the end.
        return tf.math.log(x - tf.cast(number, tf.float32)) * weight

    return strategy.run(replica)


for turn in range(6):
    train_step(tf.constant(6.0 - turn))

worker = threading.Thread(target=lambda: tf.sin(tf.constant(1.0)))
worker.start()
worker.join()
"""


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of such a program."""
    folder: Path = tmp_path_factory.mktemp("devices")
    (folder / "train.py").write_text(PROGRAM)
    record(folder / "trace", str(folder / "train.py"))
    return serve(folder / "trace")


@pytest.fixture
def opened(page: Any, link: str) -> Any:
    """The page, at its finding."""
    page.goto(link)
    page.locator(".finding-head", has_text="Log").first.wait_for()
    return page


def test_each_device_and_each_thread_has_its_lane(opened: Any) -> None:
    labels = opened.locator(".timeline-label")
    expect(labels.filter(has_text=re.compile("CPU:0"))).to_have_count(1)
    expect(labels.filter(has_text=re.compile("CPU:1"))).to_have_count(1)
    assert labels.filter(has_text=re.compile("thread", re.IGNORECASE)).count() >= 2


def test_no_lane_is_cut_off_on_a_small_screen(opened: Any) -> None:
    lanes = opened.locator(".timeline-lanes")
    bottom = lanes.bounding_box()["y"] + lanes.bounding_box()["height"]
    labels = lanes.locator(".timeline-label")
    assert labels.count() >= 3
    boxes = [labels.nth(number).bounding_box() for number in range(min(labels.count(), 4))]
    assert all(box["y"] + box["height"] <= bottom for box in boxes), (bottom, boxes)
    # The strip below is not taken for one more.
    expect(opened.locator(".timeline-all")).to_contain_text("all of the time")


def test_the_replica_that_went_wrong_is_told(opened: Any) -> None:
    expect(opened.locator("[role=row][aria-selected=true]")).to_contain_text("Log")
    search = opened.get_by_role("combobox", name=re.compile("search", re.IGNORECASE))
    search.fill("device:CPU:1 op:Log nonfinite")
    search.press("Enter")
    rows = opened.locator(".events-rows [role=row]")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("replica_1/Log:0")
    search.fill("device:CPU:0 op:Log nonfinite")
    search.press("Enter")
    opened.get_by_text("Nothing fits this search.").wait_for()
