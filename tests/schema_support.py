"""Strict comparison of a service's responses with its OpenAPI document: the same fields, with the same types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from jsonschema_rs import Draft202012Validator

_REF = "#/components/schemas/"


class Document:
    """The document of a service, and its coverage by responses.

    `held` are the routes that responded, as method and path; `seen` the fields of shapes that were in a response.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._paths = document["paths"]
        self._shapes = document["components"]["schemas"]
        for shape in self._shapes.values():
            if "properties" in shape:
                # Programs have to ignore unknown fields; here they are an error.
                shape.setdefault("additionalProperties", False)
        self.held: set[tuple[str, str]] = set()
        self.seen: set[tuple[str, str]] = set()

    @property
    def routes(self) -> set[tuple[str, str]]:
        """All routes, as method and path."""
        return {(method.upper(), path) for path, methods in self._paths.items() for method in methods}

    def answers(self, method: str, path: str) -> Mapping[str, Any]:
        """The responses of a route, by status."""
        found: Mapping[str, Any] = self._paths[path][method.lower()]["responses"]
        return found

    def fields(self) -> set[tuple[str, str]]:
        """The fields of all shapes in the responses of the checked routes."""
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

    def _validator(self, schema: Mapping[str, Any]) -> Draft202012Validator:
        return Draft202012Validator({**schema, "components": {"schemas": self._shapes}})

    def _note(self, schema: Mapping[str, Any], given: Any) -> None:
        """Record the fields of `given`, which is valid."""
        shape = self._shapes[name] if (name := _name(schema.get("$ref", ""))) else {}
        for field, value in given.items() if isinstance(given, dict) else ():
            if field in shape.get("properties", ()):
                self.seen.add((name, field))
                self._note(shape["properties"][field], value)
        for each in given if isinstance(given, list) else ():
            self._note(schema.get("items", {}), each)
        for branch in schema.get("anyOf", ()):
            if self._validator(branch).is_valid(given):
                self._note(branch, given)


def _name(reference: str) -> str:
    return reference.removeprefix(_REF)


def _contents(answers: Mapping[str, Any]) -> Iterator[Any]:
    for answer in answers.values():
        yield from answer.get("content", {}).values()


def _shapes_in(schema: Any) -> list[str]:
    return re.findall(rf"{_REF}([\w.-]+)", str(schema))
