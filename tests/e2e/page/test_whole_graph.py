"""The graph of a whole function in a real browser: boxes that open, down to where the trouble began."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import programs
from tests.e2e.page.chromium import watched_page
from tests.e2e.page.recorded import record


@pytest.fixture
def opened(page: Any, scopes_link: str) -> Any:
    """The whole graph, come to from the finding in `encoder/second`."""
    page.goto(scopes_link)
    page.locator(".finding-head", has_text="Sqrt").first.click()
    page.locator(".event-title", has_text="encoder/second/Sqrt:0").wait_for()
    page.get_by_role("tab", name="Graph").click()
    box(page, "second,").wait_for()
    return page


def box(page: Any, words: str) -> Any:
    """The box whose words begin so."""
    return page.locator(f".whole-box-body[aria-label^='{words}']")


def node(page: Any, words: str) -> Any:
    return page.locator(f".graph-node-body[aria-label^='{words}']")


def drawn(button: Any) -> Any:
    """A box or a node with its words, which stand beside the button itself."""
    return button.locator("xpath=..")


def words_of(found: Any) -> str:
    return str(found.get_attribute("aria-label"))


def middle(found: Any) -> tuple[float, float]:
    area = found.bounding_box()
    return area["x"] + area["width"] / 2, area["y"] + area["height"] / 2


def test_from_a_finding_it_is_open_down_to_the_origin_and_nowhere_else(opened: Any) -> None:
    assert words_of(box(opened, "encoder,")).endswith("the trouble began inside, open")
    assert words_of(box(opened, "second,")).endswith("the trouble began inside, open")
    assert re.search("finite, closed$", words_of(box(opened, "first,")))
    node(opened, "Sqrt encoder/second/Sqrt, not finite, the chosen operation, the origin of the trouble").wait_for()
    # What the NaN reached is marked on the lid of boxes that are closed.
    for name in ("while, call", "normed, call", "loss, name scope"):
        assert re.search(r"\d+ of them not finite, closed$", words_of(box(opened, name)))
    assert re.search(r"not finite", drawn(box(opened, "loss,")).text_content())


def test_data_flows_downwards_and_bad_bundles_are_red(opened: Any) -> None:
    order = [box(opened, name) for name in ("encoder,", "while,", "normed,", "loss,")]
    high = [middle(each)[1] for each in order]
    assert high == sorted(high)
    titles = opened.locator(".graph-edge title").all_text_contents()
    assert any(re.match(r"From encoder to while: .*not finite", title) for title in titles)
    for way in ("while to normed", "normed to loss"):
        assert any(re.match(rf"From {way}: .*not finite", title) for title in titles)
    assert opened.locator(".graph-edge-bad").count() >= 3


def test_the_way_from_the_origin_to_the_loss_goes_straight_down(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.get_by_role("tab", name="Graph").click()
    node(page, "Log ").first.wait_for()
    middles = [middle(node(page, f"{name} ").first) for name in ("Softmax", "Log", "Sum", "Neg", "Mean")]
    assert max(x for x, _ in middles) - min(x for x, _ in middles) <= 3
    assert [y for _, y in middles] == sorted(y for _, y in middles)
    on, beside = (
        page.locator(f".graph-edge-bad{which} path.graph-edge-line").first
        for which in (".graph-edge-way", ":not(.graph-edge-way)")
    )
    assert on.evaluate("(path) => getComputedStyle(path).strokeOpacity") == "1"
    assert beside.evaluate("(path) => getComputedStyle(path).strokeOpacity") == "0.4"


def test_a_click_opens_a_box_and_another_closes_it(opened: Any) -> None:
    box(opened, "while,").click()
    box(opened, "body,").wait_for()
    node(opened, "Log while/Log").wait_for()
    assert "box=while" in opened.url
    opened.reload()
    node(opened, "Log while/Log").wait_for()
    opened.get_by_role("button", name="Fit").click()
    box(opened, "while, call").click(position={"x": 20, "y": 4})
    box(opened, "body,").wait_for(state="detached")
    opened.go_back()
    node(opened, "Log while/Log").wait_for()


def test_arguments_have_their_names_in_the_program(opened: Any) -> None:
    box(opened, "while,").click()
    state = node(opened, "argument h (while/Placeholder").first
    state.wait_for()
    assert drawn(state).locator(".graph-node-type").text_content().endswith("argument")
    assert drawn(state).locator(".graph-node-name").text_content() == "h"


def test_the_keyboard_walks_opens_and_chooses(opened: Any) -> None:
    node(opened, "Sqrt").focus()
    focused = "document.activeElement.getAttribute('data-node')"
    opened.keyboard.press("ArrowUp")
    assert opened.evaluate(focused) == "encoder/second/sub"
    opened.keyboard.press("Enter")
    node(opened, "Sub encoder/second/sub, finite, the chosen operation").wait_for()
    assert "tab=graph" in opened.url
    box(opened, "encoder,").focus()
    opened.keyboard.press("ArrowDown")
    assert opened.evaluate(focused) == "encoder/first/"
    opened.keyboard.press("Enter")
    node(opened, "Tanh encoder/first/Tanh").wait_for()
    assert opened.evaluate(focused) == "encoder/first/"
    assert opened.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"


def test_the_search_opens_the_boxes_to_what_it_finds(page: Any, scopes_link: str) -> None:
    page.goto(f"{scopes_link}#search=x")
    page.locator("[role=row]").nth(1).wait_for()
    page.keyboard.press("g")
    field = page.get_by_role("combobox", name="Find in the graph")
    expect(field).to_be_focused()
    page.keyboard.type("tanh")
    page.get_by_role("option", name="Tanh").first.wait_for()
    page.keyboard.press("Enter")
    node(page, "Tanh encoder/first/Tanh").wait_for()
    focused = "document.activeElement.getAttribute('data-node')"
    page.wait_for_function(f"{focused} === 'encoder/first/Tanh'")
    assert "find=tanh" in page.url
    page.reload()
    node(page, "Tanh encoder/first/Tanh").wait_for()
    field.fill("while")
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    box(page, "body,").wait_for()
    field.fill("nothing like it")
    page.get_by_text("nothing of this name").wait_for()


def test_boxes_stay_open_as_one_chooses_in_them(opened: Any) -> None:
    box(opened, "normed,").click()
    sum_of = node(opened, "Sum norm/Sum")
    box(opened, "norm,").click()
    sum_of.wait_for()
    sum_of.focus()
    opened.keyboard.press("Enter")
    node(opened, "Sum norm/Sum, not finite, the chosen operation").wait_for()
    assert words_of(box(opened, "second,")).endswith("open")


def test_another_function_shows_its_layers(opened: Any) -> None:
    opened.get_by_role("combobox", name="Function").select_option(label="predict")
    net = box(opened, "net, layer")
    net.wait_for()
    assert "function=" in opened.url
    if words_of(net).endswith("closed"):
        net.click()
    box(opened, "dense, layer").wait_for()
    box(opened, "dense_1, layer").click()
    node(opened, "MatMul").wait_for()


def test_as_a_list(opened: Any) -> None:
    opened.get_by_role("button", name="List", exact=True).click()
    listed = opened.locator(".graph-list")
    first = listed.get_by_role("button", name="first", exact=False)
    assert first.get_attribute("aria-expanded") == "false"
    first.click()
    listed.get_by_role("button", name=re.compile("Tanh")).click()
    opened.locator("[role=row][aria-selected=true]", has_text="encoder/first/Tanh:0").wait_for()


def test_in_the_whole_window_and_back(opened: Any) -> None:
    small = opened.locator(".graph-svg").bounding_box()
    opened.get_by_role("button", name="Large").click()
    large = opened.locator(".graph-svg").bounding_box()
    assert large["width"] > 1200 > 2 * small["width"]
    opened.keyboard.press("Escape")
    assert opened.locator(".graph-svg").bounding_box() == small


def test_without_an_event_it_is_the_function_that_matters_most(page: Any, scopes_link: str) -> None:
    page.goto(f"{scopes_link}#tab=graph&search=x")
    assert words_of(box(page, "encoder,")).endswith("not finite, closed")
    box(page, "encoder,").click()
    box(page, "second,").wait_for()


def test_what_ran_by_itself_stands_in_the_graph_of_its_step(page: Any, scopes_link: str) -> None:
    page.goto(f"{scopes_link}#event=0&tab=graph")
    page.locator(".graph-node-chosen").wait_for()
    assert "eager code, " in page.locator(".graph-head").inner_text()
    for width in (1280, 2560):
        page.set_viewport_size({"width": width, "height": 1000})
        assert page.locator(".graph-extent").evaluate("text => text.scrollWidth <= text.clientWidth"), width
    page.get_by_role("combobox", name="Function").select_option(label="predict")
    box(page, "net, layer").wait_for()


EAGER = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(24)])
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    probabilities = torch.softmax(net(torch.randn(4, 8)), -1)
    loss = -torch.log(probabilities - float(step == 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_eager_code_is_one_graph_with_its_modules_closed(page: Any, tmp_path: Path, serve: Any) -> None:
    programs.skip_without_what_it_imports(EAGER)
    program = tmp_path / "eager.py"
    program.write_text(EAGER)
    record(tmp_path / "trace", str(program))
    page.goto(f"{serve(tmp_path / 'trace')}#tab=graph&search=x")
    box(page, "blocks.23,").wait_for()
    head = page.locator(".graph-head").inner_text()
    assert re.search(r"eager code, step 2\s+\d\d\d operations, 3 not finite", head)
    shown = page.locator(".whole-box-body, .graph-node-body").count()
    assert 26 <= shown <= 60
    page.get_by_role("button", name="Large").click()
    box(page, "blocks.3,").focus()
    page.keyboard.press("Enter")
    node(page, "aten::relu").wait_for()
    assert page.locator(".whole-box-body, .graph-node-body").count() < shown + 6
    page.get_by_role("button", name="Backward pass").click()
    box(page, "backward pass,").wait_for()


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"viewport": {"width": 420, "height": 800}}])
def test_in_the_dark_and_on_narrow_screens(
    browser: Any, scopes_link: str, problems: list[str], options: dict[str, Any]
) -> None:
    with watched_page(browser, problems, **options) as page:
        page.goto(f"{scopes_link}#tab=graph&search=x")
        loss = box(page, "loss,")
        loss.wait_for()
        page.get_by_role("button", name="Large").click()
        loss.click()
        node(page, "Mean loss/Mean").wait_for()
        shown = page.locator(".graph-svg").bounding_box()
        assert shown["width"] > 0.9 * page.viewport_size["width"]
    assert problems == []


@pytest.fixture(scope="module")
def saved_link(scopes: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of it, opened as a file."""
    saved = tmp_path_factory.mktemp("saved") / "saved.html"
    command = [sys.executable, "-m", "tensordbg", "report", "-o", str(saved), str(scopes)]
    programs.run(command, check=True, capture_output=True)
    return saved.as_uri()


def test_a_saved_page_has_it_open_down_to_a_finding_and_its_boxes_open(page: Any, saved_link: str) -> None:
    page.goto(saved_link)
    page.locator(".finding-head", has_text="Sqrt").first.click()
    page.get_by_role("tab", name="Graph").click()
    node(page, "Sqrt encoder/second/Sqrt, not finite, the chosen operation").wait_for()
    assert words_of(box(page, "while,")).endswith("closed")
    for name, seen in (("while,", "Log while/Log"), ("first,", "Tanh encoder/first/Tanh")):
        box(page, name).focus()
        page.keyboard.press("Enter")
        node(page, seen).wait_for()
    box(page, "encoder,").focus()
    page.keyboard.press("Enter")
    node(page, "Tanh encoder/first/Tanh").wait_for(state="detached")
    assert page.get_by_text("does not hold the inside").count() == 0


def test_in_a_saved_page_one_goes_on_to_other_operations_and_functions(page: Any, saved_link: str) -> None:
    page.goto(saved_link)
    page.locator(".finding-head", has_text="Sqrt").first.click()
    page.get_by_role("tab", name="Graph").click()
    box(page, "first,").click()
    tanh = node(page, "Tanh encoder/first/Tanh")
    tanh.click()
    node(page, "Tanh encoder/first/Tanh, finite, the chosen operation").wait_for()
    page.get_by_role("combobox", name="Function").select_option(label="predict")
    box(page, "net, layer").wait_for()
    page.get_by_role("combobox", name="Find in the graph").fill("matmul")
    page.get_by_role("option", name="MatMul").first.click()
    node(page, "MatMul").first.wait_for()


LARGE = """\
import tensorflow as tf

@tf.function
def step(x):
    for block in range(40):
        with tf.name_scope(f"block{block}"):
            for part in ("attention", "dense"):
                with tf.name_scope(part):
                    for _ in range(25):
                        x = tf.sin(x) * 1.5 + 0.1
    return tf.math.log(x - 100.0)

step(tf.ones([2]))
"""


def test_a_function_of_ten_thousand_operations_comes_in_parts(page: Any, tmp_path: Path, serve: Any) -> None:
    program = tmp_path / "large.py"
    program.write_text(LARGE)
    record(tmp_path / "trace", str(program))
    page.goto(f"{serve(tmp_path / 'trace')}#tab=graph&search=x")
    box(page, "block39,").wait_for()
    assert re.search(r"10,\d\d\d operations", page.locator(".graph-extent").text_content())
    drawn = page.locator(".whole-box-body, .graph-node-body").count()
    assert 40 <= drawn <= 60
    box(page, "block7,").focus()
    page.keyboard.press("Enter")
    box(page, "attention,").wait_for()
    assert page.locator(".whole-box-body, .graph-node-body").count() == drawn + 2


def test_the_backward_pass_and_constants_are_hidden_until_asked_for(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.get_by_role("tab", name="Graph").click()
    page.locator(".graph-node").first.wait_for()
    drawn = page.locator(".graph-svg [data-node]")
    forward = drawn.count()
    page.get_by_role("button", name="Backward pass").click()
    drawn.nth(forward).wait_for()
    assert "secondary=backward" in page.url
    both = drawn.count()
    indices = page.locator(".graph-svg [data-node$=reduction_indices]")
    assert indices.count() == 0
    page.get_by_role("button", name="Constants").click()
    indices.first.wait_for()
    assert drawn.count() > both


def test_a_gradient_that_is_chosen_shows_the_backward_pass(page: Any, digits_link: str) -> None:
    page.goto(f"{digits_link}#search=name:gradients/Log_grad/*&view=details")
    page.locator("[role=row]", has_text="Log_grad").first.click()
    page.get_by_role("tab", name="Graph").click()
    page.locator(".graph-node-chosen").wait_for()
    assert page.locator(".graph-svg [data-node*=gradients]").count() > 1


def test_a_graph_that_nobody_moved_fills_its_room_again(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.get_by_role("tab", name="Graph").click()
    page.locator(".graph-node-chosen").wait_for()
    page.get_by_role("button", name="Large").click()
    room = page.locator(".graph-svg").bounding_box()
    for _ in range(100):
        seen = page.locator(".graph-node-chosen").bounding_box()
        drawn = page.locator(".graph-svg > g").bounding_box()
        if drawn["width"] > 0.8 * room["width"] or drawn["height"] > 0.8 * room["height"]:
            break
        page.wait_for_timeout(50)
    else:
        raise AssertionError("the drawing stayed small")
    assert room["x"] <= seen["x"] <= room["x"] + room["width"]
