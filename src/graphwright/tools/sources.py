"""Sources: one shape for whatever a tool, a file or a logbook gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, StrictInt, TypeAdapter, ValidationError

_CLOSED = ConfigDict(extra="forbid")
NotEmpty = Annotated[str, Field(min_length=1)]


class NoSource(ValueError):
    """A value has not the shape of a source; the text says where and why."""


class _Json:
    """What can be read from JSON, by its fields."""

    __slots__ = ()

    @classmethod
    def from_json(cls, value: object) -> Self:
        """What `to_json` gave; fields with a default may be missing. Raises NoSource for any other shape."""
        try:
            read: Self = _reader(cls).validate_python(value)  # type: ignore[arg-type]
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, (cls.__name__.lower(), *first["loc"])))
            raise NoSource(f"{place}: {first['msg']}") from None
        return read


@lru_cache
def _reader(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@dataclass(frozen=True, slots=True)
class SourceImage(_Json):
    """A picture of a source: `url` is an http(s) address or a `data:image/...;base64,` one, `caption` may be empty."""

    __pydantic_config__ = _CLOSED

    url: NotEmpty
    caption: str = ""

    def to_json(self) -> dict[str, str]:
        """`{url, caption}`."""
        return {"url": self.url, "caption": self.caption}


@dataclass(frozen=True, slots=True)
class Source(_Json):
    """What an answer may rest on: a passage of a document, a log entry, a page of a file, what a tool said.

    `id` is unique within its `kind` and the same whenever the same thing is found again. `kind` is `knowledge`, `elog`,
    `file`, `tool` or another name of its maker. `url` is empty where there is none. `metadata` are further facts, by
    name, as texts for people (`author`, `date`, `page`). `text` is plain text or Markdown, untrusted like all of it.
    """

    __pydantic_config__ = _CLOSED

    id: NotEmpty
    title: str
    url: str
    kind: NotEmpty
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


@dataclass(frozen=True, slots=True)
class Findings(_Json):
    """What one call of a tool found. It is what our own servers give as structured content, and what calls come to.

    `total` is how many there were before any limit, at least `len(sources)`. `note` says, for people and models, what
    was cut, widened, guessed or missing; empty when nothing was.
    """

    __pydantic_config__ = _CLOSED

    sources: tuple[Source, ...]
    total: StrictInt = 0
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", max(self.total, len(self.sources)))

    def to_json(self) -> dict[str, Any]:
        """`{sources: [...], total, note}`, as `FINDINGS_SCHEMA` has it."""
        return {"sources": [source.to_json() for source in self.sources], "total": self.total, "note": self.note}


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
                "required": ["id", "title", "url", "kind", "metadata", "text", "images"],
            },
        },
        "total": {"type": "integer"},
        "note": {"type": "string"},
    },
    "required": ["sources", "total", "note"],
}
"""The JSON Schema of findings: what our own servers declare that their tools give."""
