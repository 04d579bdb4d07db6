"""Strict comparison of a service's responses with its OpenAPI document: the same fields, with the same types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from jsonschema_rs import Draft202012Validator

from graphwright_server._openapi import EXAMPLES

PACKAGES = Path(__file__).parents[3] / "packages"
_REF = "#/components/schemas/"
_LONGEST = 1200
_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "2026-11-29T09:00:00.120000Z"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "0b2f5c1e-9d47-4a53-8c3e-6f1d2a7b9e40"),
    (re.compile(r"gwk_[\w-]+"), "gwk_EXAMPLE"),
    (re.compile(r"\b[0-9a-f]{10,64}\b"), "5f2c8d0a91be"),
    (re.compile(r"again in \d+ s"), "again in 42 s"),
    (re.compile(r"(scripted:)?/tmp/\S+/"), r"\1"),
    (re.compile(r"\bWy[\w-]{20,}"), "WyIyMDI2LTExLTI5Il0"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:8000"),
)
"""Patterns of texts that differ from run to run, each with the constant that replaces it in an example."""


_CONSTANT = {("seconds", float): 0.25, ("created", int): 1796000000, ("born", str): "8f9b4d"}


def shortened(value: Any) -> Any:
    """A value as an example: at most two objects of each list, no long texts, and the same in each run."""
    if isinstance(value, dict):
        inside = {name: shortened(each) for name, each in value.items() if not name.startswith("$")}
        # Whether the sandbox of an agent works depends on the machine.
        ready = {"ready": True, "problem": "", "problems": []} if "takes_files" in value else {}
        return {**{name: _CONSTANT.get((name, type(each)), each) for name, each in inside.items()}, **ready}
    if isinstance(value, list):
        return [shortened(each) for each in value[: 2 if all(isinstance(each, dict) for each in value) else 8]]
    if isinstance(value, str):
        for pattern, constant in _VARYING:
            value = pattern.sub(constant, value)
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
    return value


def require_examples(package: str, found: Mapping[str, Any], *, update: bool) -> None:
    """Compare recorded examples with those in the OpenAPI document of a package. With `update` they are replaced."""
    file = PACKAGES / package.replace("_", "-") / "src" / package / EXAMPLES
    kept = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    if update:
        kept = dict(sorted({**kept, **found}.items()))
        file.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert {name: kept.get(name) for name in found} == found, f"Accept the examples with --snapshot-update: {file}"


def last_event(frames: str) -> Any:
    """The data of the last event of a stream."""
    told = [line.removeprefix("data: ") for line in frames.splitlines() if line.startswith("data: {")]
    return json.loads(told[-1])


class Document:
    """The document of a service, and its coverage by responses.

    `held` are the routes that responded, as method and path; `seen` the fields of shapes that were in a response.
    `examples` are the first requests and responses by operation id.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._paths = document["paths"]
        self._shapes = document["components"]["schemas"]
        self._validators: dict[str, Draft202012Validator] = {}
        self._responses = document["components"]["responses"]
        for shape in self._shapes.values():
            if "properties" in shape:
                # Programs have to ignore unknown fields; here they are an error.
                shape.setdefault("additionalProperties", False)
        self.held: set[tuple[str, str]] = set()
        self.seen: set[tuple[str, str]] = set()
        self.examples: dict[str, Any] = {}

    @property
    def routes(self) -> set[tuple[str, str]]:
        """All routes, as method and path."""
        return {(method.upper(), path) for path, methods in self._paths.items() for method in methods}

    def operation(self, method: str, path: str) -> Mapping[str, Any]:
        """The operation of a route."""
        found: Mapping[str, Any] = self._paths[path][method.lower()]
        return found

    def answers(self, method: str, path: str) -> Mapping[str, Any]:
        """The responses of a route, by status."""
        found = self.operation(method, path)["responses"]
        return {status: self._responses.get(_last(each.get("$ref", "")), each) for status, each in found.items()}

    def fields(self) -> set[tuple[str, str]]:
        """The fields of all shapes in the responses of the checked routes, without those of streams."""
        told = [content for route in self.held for content in _contents(self.answers(*route))]
        names, found = [each for content in told for each in _shapes_in(content)], set[str]()
        while names:
            name = names.pop()
            if name not in found:
                found.add(name)
                names += _shapes_in(self._shapes[name])
        return {(name, field) for name in found for field in self._shapes[name].get("properties", ())}

    def hold(self, path: str, answer: httpx.Response) -> Any:
        """Compare a response of a route with its description; return its content."""
        method, media = answer.request.method, answer.headers.get("content-type", "").partition(";")[0]
        told = self.answers(method, path)
        content = told.get(str(answer.status_code), told["default"]).get("content", {})
        assert answer.is_error or str(answer.status_code) in told, (method, path, answer.text)
        if answer.is_success:
            self.held.add((method, path))
            self._record(self.operation(method, path)["operationId"], answer, media)
        if answer.status_code == 204:
            assert not content, path
            return None
        assert media in content or set(content) == {"*/*"}, (method, path, media)
        schema = content.get(media, {}).get("schema", {})
        if not media.endswith("json") or "*/*" in content:
            return answer.text
        given = answer.json()
        assert not answer.is_error or "default" in told
        for error in self._validator(schema).iter_errors(given):
            raise AssertionError(f"{method} {path}: {error.verbose_message}")
        self._note(schema, given)
        return given

    def _record(self, id: str, answer: httpx.Response, media: str) -> None:
        """Record the first response of an operation in each media type, with its request."""
        example = self.examples.setdefault(id, {})
        if answer.request.headers.get("content-type") == "application/json":
            example.setdefault("request", shortened(json.loads(answer.request.content)))
        if answer.text and media in ("application/json", "text/event-stream"):
            content = last_event(answer.text) if "stream" in media else answer.json()
            example.setdefault("response", {}).setdefault(media, shortened(content))

    def _validator(self, schema: Mapping[str, Any]) -> Draft202012Validator:
        """The validator of a schema, compiled once: most responses have the same few schemas."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({**schema, "components": {"schemas": self._shapes}})
        return self._validators[key]

    def _note(self, schema: Mapping[str, Any], given: Any) -> None:
        """Record the fields of `given`, which is valid."""
        shape = self._shapes[name] if (name := _name(schema.get("$ref", ""))) else {}
        for field, value in given.items() if isinstance(given, dict) else ():
            if field in shape.get("properties", ()):
                self.seen.add((name, field))
                self._note(shape["properties"][field], value)
            elif isinstance(others := schema.get("additionalProperties"), dict):
                self._note(others, value)
        for each in given if isinstance(given, list) else ():
            self._note(schema.get("items", {}), each)
        entry = schema.get("additionalProperties")
        for value in given.values() if isinstance(entry, dict) and isinstance(given, dict) else ():
            self._note(entry, value)
        for branch in schema.get("anyOf", ()):
            if self._validator(branch).is_valid(given):
                self._note(branch, given)


def _name(reference: str) -> str:
    return reference.removeprefix(_REF)


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _contents(answers: Mapping[str, Any]) -> Iterator[Any]:
    for answer in answers.values():
        yield from (each for media, each in answer.get("content", {}).items() if media != "text/event-stream")


def _shapes_in(schema: Any) -> list[str]:
    return re.findall(rf"{_REF}([\w.-]+)", str(schema))
