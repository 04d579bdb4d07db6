"""Sources: one shape for whatever a tool, a file or a logbook gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class NoSource(ValueError):
    """A value has not the shape of a source; the text says where and why."""


@dataclass(frozen=True, slots=True)
class SourceImage:
    """A picture of a source: `url` is an http(s) address or a `data:image/...;base64,` one, `caption` may be empty."""

    url: str
    caption: str = ""

    def to_json(self) -> dict[str, str]:
        """`{url, caption}`."""
        return {"url": self.url, "caption": self.caption}

    @classmethod
    def from_json(cls, value: object) -> SourceImage:
        """What `to_json` gave; `caption` may be missing. Raises NoSource for what has another shape."""
        given = _object(value, "image", ("url", "caption"))
        url = _text(given, "image", "url", needed=True)
        if not url:
            raise NoSource("image.url is empty")
        return cls(url, _text(given, "image", "caption"))


@dataclass(frozen=True, slots=True)
class Source:
    """What an answer may rest on: a passage of a document, a log entry, a page of a file, what a tool said.

    `id` is unique within its `kind` and the same whenever the same thing is found again. `kind` is `knowledge`, `elog`,
    `file`, `tool` or another name of its maker. `url` is empty where there is none. `metadata` are further facts, by
    name, as texts for people (`author`, `date`, `page`). `text` is plain text or Markdown, untrusted like all of it.
    """

    id: str
    title: str
    url: str
    kind: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    images: tuple[SourceImage, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """`{id, title, url, kind, metadata, text, images}`."""
        return {
            "id": self.id,
            "title": self.title,
            "url": self.url,
            "kind": self.kind,
            "metadata": dict(self.metadata),
            "text": self.text,
            "images": [image.to_json() for image in self.images],
        }

    @classmethod
    def from_json(cls, value: object) -> Source:
        """What `to_json` gave; `metadata`, `text` and `images` may be missing.

        Raises NoSource for what has another shape: names that a source does not have, a value of another type, an empty
        `id` or `kind`.
        """
        given = _object(value, "source", _FIELDS)
        for name in ("id", "kind"):
            if not _text(given, "source", name, needed=True):
                raise NoSource(f"source.{name} is empty")
        metadata = given.get("metadata", {})
        if not isinstance(metadata, Mapping):
            raise NoSource(f"source.metadata is not an object, but {_kind(metadata)}")
        for name, fact in metadata.items():
            if not isinstance(name, str) or not isinstance(fact, str):
                raise NoSource(f"source.metadata.{name} is not a text, but {_kind(fact)}")
        images = given.get("images", [])
        if not isinstance(images, list | tuple):
            raise NoSource(f"source.images is not a list, but {_kind(images)}")
        return cls(
            id=given["id"],
            title=_text(given, "source", "title", needed=True),
            url=_text(given, "source", "url", needed=True),
            kind=given["kind"],
            metadata=dict(metadata),
            text=_text(given, "source", "text"),
            images=tuple(map(SourceImage.from_json, images)),
        )


@dataclass(frozen=True, slots=True)
class Findings:
    """What one call of a tool found. It is what our own servers give as structured content, and what calls come to.

    `total` is how many there were before any limit, at least `len(sources)`. `note` says, for people and models, what
    was cut, widened, guessed or missing; empty when nothing was.
    """

    sources: tuple[Source, ...]
    total: int
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """`{sources: [...], total, note}`, as `FINDINGS_SCHEMA` has it."""
        return {"sources": [source.to_json() for source in self.sources], "total": self.total, "note": self.note}

    @classmethod
    def from_json(cls, value: object) -> Findings:
        """What `to_json` gave; `total` and `note` may be missing. Raises NoSource for what has another shape."""
        given = _object(value, "findings", ("sources", "total", "note"))
        listed = given.get("sources")
        if not isinstance(listed, list | tuple):
            raise NoSource(f"findings.sources is not a list, but {_kind(listed)}")
        sources = tuple(map(Source.from_json, listed))
        total = given.get("total", len(sources))
        if not isinstance(total, int) or isinstance(total, bool):
            raise NoSource(f"findings.total is not a whole number, but {_kind(total)}")
        return cls(sources, max(total, len(sources)), _text(given, "findings", "note"))


_FIELDS = ("id", "title", "url", "kind", "metadata", "text", "images")
_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}

FINDINGS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sources": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    **{name: {"type": "string"} for name in ("id", "title", "url", "kind", "text")},
                    "metadata": _TEXTS,
                    "images": {"type": "array", "items": _TEXTS},
                },
                "required": list(_FIELDS),
            },
        },
        "total": {"type": "integer"},
        "note": {"type": "string"},
    },
    "required": ["sources", "total", "note"],
}
"""The JSON Schema of findings: what our own servers declare that their tools give."""


def _object(value: object, what: str, fields: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise NoSource(f"{what} is not an object, but {_kind(value)}")
    for name in value:
        if name not in fields:
            raise NoSource(f"{what} has no field {name!r}; there are {', '.join(fields)}")
    return value


def _text(given: Mapping[str, Any], what: str, name: str, *, needed: bool = False) -> str:
    if name not in given and needed:
        raise NoSource(f"{what}.{name} is missing")
    text = given.get(name, "")
    if not isinstance(text, str):
        raise NoSource(f"{what}.{name} is not a text, but {_kind(text)}")
    return text


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__
