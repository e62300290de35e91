"""The OpenAPI description of the server, made from the types of its parameters and answers.

`python -m tensordbg.server.openapi` prints it; the page's types are made from that.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from dataclasses import is_dataclass
from typing import Any, cast

import msgspec

from tensordbg import __version__
from tensordbg.server.field_texts import field_texts
from tensordbg.server.parameters import Parameters
from tensordbg.server.routes import QUESTIONS, Question
from tensordbg.wire.view import (
    answer_table,
    comparison,
    errors,
    events,
    findings,
    graph,
    graph_search,
    health,
    matrix,
    overview,
    progress,
    source,
    tensor,
    timeline,
    whole_graph,
)

_REFERENCES = "#/components/schemas/{name}"
_MODULES = (
    answer_table,
    comparison,
    progress,
    errors,
    events,
    findings,
    graph,
    graph_search,
    health,
    matrix,
    overview,
    source,
    tensor,
    timeline,
    whole_graph,
)
_ANSWERS = {
    name: kind
    for module in _MODULES
    for name, kind in vars(module).items()
    if is_dataclass(kind) and isinstance(kind, type)
}
"""The dataclasses of the answers, by name."""


@functools.cache
def description() -> dict[str, Any]:
    """The description as a JSON object, of OpenAPI 3.1."""
    answers = [errors.Problem, *(question.answer for question in QUESTIONS)]
    schemas, components = msgspec.json.schema_components(answers, ref_template=_REFERENCES)
    problem, *answered = schemas
    described = {
        "openapi": "3.1.0",
        "info": {"title": "tensordbg", "version": __version__, "description": "What the page asks of a trace."},
        "servers": [{"url": "../", "description": "The folder that the page is in"}],
        "paths": {
            f"/api/{question.path}": {"get": _operation(question, schema, problem)}
            for question, schema in zip(QUESTIONS, answered, strict=True)
        },
        "components": {"schemas": {name: _described(name, components[name]) for name in sorted(components)}},
    }
    # Defaults that are tuples become lists.
    return cast(dict[str, Any], json.loads(json.dumps(described)))


def _described(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer with the texts of its fields."""
    texts = field_texts(_ANSWERS[name])
    fields = {
        field: {**kind, "description": texts[field]} if field in texts else kind
        for field, kind in schema["properties"].items()
    }
    return {**schema, "properties": fields}


def _operation(question: Question, answer: dict[str, Any], problem: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": question.name,
        "summary": question.summary,
        "parameters": _parameters(question.parameters, question.path),
        "responses": {
            "200": _response("The answer", answer),
            "400": _response("The request is not understood", problem),
            "404": _response("What is asked for does not exist", problem),
        },
    }


def _response(what: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


def _parameters(asked: type[Parameters], path: str) -> list[dict[str, Any]]:
    in_path = re.findall(r"\{(\w+)\}", path)
    _, components = msgspec.json.schema_components([asked], ref_template=_REFERENCES)
    schema = components[asked.__name__]
    return [
        _parameter(name, "path" if name in in_path else "query", field, name in schema["required"])
        for name, field in schema["properties"].items()
    ]


def _parameter(name: str, place: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    schema = dict(schema)
    said = {"description": schema.pop("description")} if "description" in schema else {}
    return {"name": name, "in": place, "required": required, **said, "schema": schema}


if __name__ == "__main__":
    json.dump(description(), sys.stdout, indent=2)
    sys.stdout.write("\n")
