from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.server.openapi import description
from tensordbg.server.routes import QUESTIONS

WEB = Path(__file__).parents[2] / "web"
FRESHEN = "run `python -m tensordbg.server.openapi > web/src/api/openapi.json`, then `npm run types` in web/"


def parameters_of(path: str) -> dict[str, Any]:
    return {each["name"]: each for each in description()["paths"][path]["get"]["parameters"]}


def test_every_question_is_described() -> None:
    assert list(description()["paths"]) == [f"/api/{question.path}" for question in QUESTIONS]


def test_bounds_and_texts_of_parameters() -> None:
    count = parameters_of("/api/events")["count"]
    assert (count["in"], count["required"]) == ("query", False)
    assert count["schema"] == {"type": "integer", "minimum": 1, "maximum": 500, "default": 200}
    event = parameters_of("/api/events/{event}")["event"]
    assert (event["in"], event["required"]) == ("path", True)
    assert event["description"] == "Number of the tensor event."


def test_what_may_be_left_out_is_not_null() -> None:
    schema = parameters_of("/api/timeline")["begin_ns"]["schema"]
    assert (schema["type"], "anyOf" in schema) == ("integer", False)


def test_answers_have_the_texts_of_their_fields() -> None:
    row = description()["components"]["schemas"]["EventRow"]
    assert row["description"] == "One tensor computed, as a row of the table."
    assert row["properties"]["tensor"]["description"] == "Name and slot, `Log:0`."
    assert set(row["required"]) == set(row["properties"])


def test_every_reference_is_there() -> None:
    text = json.dumps(description())
    named = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(description()["components"]["schemas"])


def test_module_prints_it() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tensordbg.server.openapi"], capture_output=True, check=True, text=True
    )
    assert json.loads(printed.stdout) == description()


def test_description_of_the_page_is_fresh() -> None:
    assert json.loads((WEB / "src" / "api" / "openapi.json").read_text()) == description(), FRESHEN


def test_types_of_the_page_are_fresh(tmp_path: Path) -> None:
    made = tmp_path / "schema.d.ts"
    program = WEB / "node_modules" / ".bin" / "openapi-typescript"
    if not (program.exists() and shutil.which("node")):
        pytest.skip("openapi-typescript is not installed; `make` installs it")
    subprocess.run([program, "src/api/openapi.json", "-o", made], cwd=WEB, check=True, capture_output=True)
    assert made.read_text() == (WEB / "src" / "api" / "schema.d.ts").read_text(), FRESHEN
