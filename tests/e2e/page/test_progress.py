"""The overview of a run: the first screen where nothing is wrong, and one key away everywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page
from tests.e2e.page.recorded import record, shared
from tests.e2e.page.test_accessibility import FOUND, axe
from tests.programs import skip_without_what_it_imports

KERAS = """\
import keras
import numpy as np

keras.utils.set_random_seed(1)
x = np.random.rand(96, 8).astype("float32")
model = keras.Sequential(
    [
        keras.layers.Input((8,)),
        keras.layers.Dense(16, activation="relu", name="hidden"),
        keras.layers.Dense(2, name="out"),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, (x.sum(1) > 4).astype("int32"), epochs=2, batch_size=16, verbose=0)
"""

TORCH = """\
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(12):
    x = torch.rand(16, 8)
    loss = torch.nn.functional.cross_entropy(model(x), (x.sum(1) > 4).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def recorded(factory: pytest.TempPathFactory, name: str, text: str) -> Path:
    def make(folder: Path) -> None:
        program = factory.mktemp(name) / f"{name}.py"
        program.write_text(text)
        record(folder, str(program))

    return shared(factory, name, make)


@pytest.fixture(scope="session")
def healthy_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of a training with Keras in which nothing is wrong."""
    return serve(recorded(tmp_path_factory, "healthy_keras", KERAS))


@pytest.fixture(scope="session")
def healthy_torch_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """Likewise with PyTorch."""
    skip_without_what_it_imports(TORCH)
    return serve(recorded(tmp_path_factory, "healthy_torch", TORCH))


def rows(page: Any) -> list[str]:
    page.locator(".map-names button").first.wait_for()
    return page.locator(".map-names button").all_inner_texts()


def test_a_healthy_run_opens_at_its_layers_and_its_loss(page: Any, healthy_link: str) -> None:
    page.goto(healthy_link)
    progress = page.get_by_role("region", name="Overview")
    expect(progress.get_by_role("region", name="Verdict")).to_contain_text(re.compile("tensors were finite"))
    assert rows(page) == ["sequential", "sequential/hidden", "sequential/out"]
    expect(progress.locator(".progress-line-loss")).to_contain_text(re.compile(r"[\d.]+ in step 0, [\d.]+ in step 11"))
    expect(progress.locator(".progress-line-learning_rate")).to_contain_text("0.001 from step 0 to 11")
    measures = progress.get_by_role("group", name="What the map shows").get_by_role("button")
    assert measures.all_inner_texts() == ["Activations", "Gradients", "Updates", "Zeros", "NaN and infinities"]
    measures.filter(has_text="Updates").click()
    progress.get_by_role("heading", name=re.compile("Updates over weights")).wait_for()
    assert rows(page) == ["sequential/hidden", "sequential/out"]


def test_a_cell_leads_to_its_tensor_by_keys_and_by_mouse(page: Any, healthy_link: str) -> None:
    page.goto(healthy_link)
    rows(page)
    cells = page.get_by_role("slider", name=re.compile("Activations of each layer"))
    cells.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(cells).to_have_attribute("aria-valuetext", re.compile(r"^sequential/hidden, step 11: [\d.]+$"))
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="History", selected=True).wait_for()
    page.locator("[role=row][aria-selected=true]", has_text="Relu").wait_for()
    page.go_back()
    page.locator(".map-cells canvas").click(position={"x": 5, "y": 10})
    page.get_by_role("tab", name="History", selected=True).wait_for()


def test_the_overview_is_one_key_away_and_stays_in_the_link(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.keyboard.press("o")
    page.locator(".progress-verdict").get_by_role("link", name="Log made 1 × -inf").wait_for()
    assert "view=overview" in page.url
    page.reload()
    page.get_by_role("button", name="NaN and infinities").click()
    assert any("digits_nan.py:53" in row for row in rows(page))
    page.locator(".progress-verdict").get_by_role("link", name="Log made 1 × -inf").click()
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.get_by_role("button", name="Overview").click()
    page.locator(".progress-verdict").wait_for()


def test_a_run_of_pytorch(page: Any, healthy_torch_link: str) -> None:
    page.goto(healthy_torch_link)
    assert rows(page)[:3] == ["0", "1", "2"]
    expect(page.locator(".progress-line-loss")).to_contain_text("in step 11")
    page.get_by_role("button", name="Gradients", exact=True).click()
    page.get_by_role("heading", name=re.compile("Norm of the gradients")).wait_for()
    assert rows(page) == ["0", "2"]


def test_all_tensors_are_one_click_away(page: Any, healthy_link: str) -> None:
    page.goto(healthy_link)
    page.get_by_role("button", name="All tensors").click()
    page.locator(".events-rows [role=row]:not([aria-busy])").first.wait_for()
    for name in ("Previous", "Next"):
        expect(page.get_by_role("button", name=f"{name} non-finite event")).to_be_disabled()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, problems: list[str], healthy_link: str, theme: str) -> None:
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        page.goto(healthy_link)
        rows(page)
        page.evaluate(axe())
        assert page.evaluate(FOUND) == []
    assert problems == []
