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
    """What can be written as JSON, and read from it, by its fields."""

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

    def to_json(self) -> dict[str, Any]:
        """All fields, by their names."""
        written: dict[str, Any] = _reader(type(self)).dump_python(self, mode="json")  # type: ignore[arg-type]
        return written


@lru_cache
def _reader(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@dataclass(frozen=True, slots=True)
class SourceImage(_Json):
    """A picture of a source: `url` is an http(s) address or a `data:image/...;base64,` one, `caption` may be empty."""

    __pydantic_config__ = _CLOSED

    url: NotEmpty
    caption: str = ""


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


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_IMAGES = {"type": "array", "items": _TEXTS}
_SOURCE = _object(id=_TEXT, title=_TEXT, url=_TEXT, kind=_TEXT, metadata=_TEXTS, text=_TEXT, images=_IMAGES)

FINDINGS_SCHEMA = _object(sources={"type": "array", "items": _SOURCE}, total={"type": "integer"}, note=_TEXT)
"""The JSON Schema of findings: what our own servers declare that their tools give."""
