"""Sources: a common type for the results of tools, files and logbooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, StrictInt, TypeAdapter, ValidationError

__all__ = ["SourceImage", "Source", "Findings", "FINDINGS_SCHEMA"]

_CLOSED = ConfigDict(extra="forbid")
NotEmpty = Annotated[str, Field(min_length=1)]


class NoSource(ValueError):
    """A value does not have the form of a source; the text says where and why."""


class _Json:
    """Conversion from and to JSON by the fields of the class."""

    __slots__ = ()

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the object for a value from `to_json`; fields with a default may be missing. Raises NoSource."""
        try:
            read: Self = _reader(cls).validate_python(value)  # type: ignore[arg-type]
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, (cls.__name__.lower(), *first["loc"])))
            raise NoSource(f"{place}: {first['msg']}") from None
        return read

    def to_json(self) -> dict[str, Any]:
        """Return all fields by name, as JSON."""
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
    """A source of an answer: a passage of a document, a log entry, a page of a file, the answer of a tool.

    `id` is unique within its `kind`, and stable for the same content. `kind` is `knowledge`, `elog`, `file`, `tool` or
    another name. `url` may be empty. `metadata` are further facts by name, as texts for people (`author`, `date`,
    `page`). `text` is plain text or Markdown. All fields are untrusted.
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
    """The result of one tool call; also the structured content of built-in servers.

    `total` is the number of sources before any limit, at least `len(sources)`. `note` says, for people and models, what
    was cut, widened, guessed or missing; empty if nothing was.
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
"""The JSON Schema of findings, which our own servers declare for their tools."""
