"""The answers of tools as sources: texts, structured content, pictures, links and resources, within limits.

Pictures are recognized by their first bytes and not decoded: code that shows or shrinks them does that in isolation.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import mcp_types

from graphwright.text.markup import clean, one_line, web_address
from graphwright.text.sentences import many
from graphwright.tools.mcp._settings import McpError, McpServer, reported
from graphwright.tools.sources import Findings, NoSource, Source, SourceImage

MOST_TEXT = 100_000
"""Maximum text of one answer, over all its sources, in characters."""

MOST_SOURCES = 100
MOST_IMAGES = 8
MOST_IMAGE = 4 * 2**20
"""Maximum size of one picture, in bytes."""

_MOST_TITLE = 200
_MOST_FACTS = 20
_MOST_FACT = 500

_PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_PICTURE_ADDRESS = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)\Z")

# Only at the beginning of a run, so that a text of long words is not searched repeatedly.
_ENCODED = re.compile(
    r"(?:data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,)?(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{400,}+={0,2}(?![A-Za-z0-9+/_=-])"
)
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)", re.DOTALL)


def findings(
    server: McpServer, tool: str, title: str, arguments: Mapping[str, Any], result: mcp_types.CallToolResult
) -> Findings:
    """Return the sources in an answer; `tool` is the name under which it is offered.

    Raises McpError for an error answer: `mcp_tool_failed`, or the `code` of a server in this process.

    Structured content `{sources, total, note}` is used as it is, within the limits; sources of external servers always
    have the kind `tool`. All other content becomes one source for the texts, with the pictures, and one for each
    resource and each link. Cut or omitted content is mentioned in the note, and in the text.
    """
    _raise_error(server, tool, result)
    read = _Reading(server, tool, one_line(title, _MOST_TITLE), arguments)
    with contextlib.suppress(NoSource):
        return read.bounded(Findings.from_json(result.structured_content))
    texts = [block.text for block in result.content if isinstance(block, mcp_types.TextContent)]
    structured = result.structured_content
    if structured is not None and not _repeated(structured, texts, result.content):
        texts.append(_written(structured))
    read.said += [read.text(text) for text in texts]
    for block in result.content:
        read.block(block)
    return read.findings()


def plain_result(server: McpServer, tool: str, result: mcp_types.CallToolResult) -> Any:
    """Return the structured content of an answer, else its texts; at most `MOST_TEXT` characters of them.

    Raises McpError for an error answer, as `findings` does.
    """
    _raise_error(server, tool, result)
    structured = result.structured_content
    if structured is not None:
        # The library wraps a value that is not an object.
        return structured["result"] if structured.keys() == {"result"} else dict(structured)
    texts = (block.text for block in result.content if isinstance(block, mcp_types.TextContent))
    return clean("\n\n".join(texts))[:MOST_TEXT]


def _raise_error(server: McpServer, tool: str, result: mcp_types.CallToolResult) -> None:
    if result.is_error:
        said = " ".join(block.text for block in result.content if isinstance(block, mcp_types.TextContent))
        # Only a server in this process reports our own error codes.
        code = str((result.meta or {}).get("code", "")) if server.here is not None else ""
        raise McpError(
            code or "mcp_tool_failed", server.name, f"says that {tool} failed: {reported(said) or 'nothing more'}"
        )


@dataclass(slots=True)
class _Reading:
    """Reads one answer."""

    server: McpServer
    tool: str
    title: str
    arguments: Mapping[str, Any]
    said: list[str] = field(default_factory=list)
    images: list[SourceImage] = field(default_factory=list)
    others: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def findings(self) -> Findings:
        sources = list(self.others)
        text = "\n\n".join(filter(None, self.said))
        if text or self.images:
            facts = {"tool": self.tool, "server": self.server.name}
            sources.insert(0, Source(self._id(text), self.title, "", "tool", facts, text, tuple(self.images)))
        if not sources:
            self.note("The answer was empty.")
        return self.bounded(Findings(tuple(sources), len(sources)))

    def bounded(self, found: Findings) -> Findings:
        """Return the findings within all limits; the note lists what was cut."""
        room, kept = MOST_TEXT, []
        for source in found.sources[:MOST_SOURCES]:
            text = clean(source.text)
            if len(text) > room:
                cut = len(text) - room
                self.note(f"{cut:,} characters of {source.title or source.id} were cut off.")
                text = f"{text[:room]}\n[cut off here: {cut:,} more characters]"
            room = max(0, room - len(text))
            kept.append(self._clean(source, text))
        if left := len(found.sources) - len(kept):
            self.note(f"Left out: {many(left, 'more source')}.")
        note = " ".join(filter(None, [one_line(found.note, 2_000), *self.notes]))
        return Findings(tuple(kept), max(found.total, len(found.sources)), note)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def text(self, text: str) -> str:
        """Return a text, in which pictures and other encoded data are replaced."""
        return _ENCODED.sub(self._decoded, text)

    def block(self, block: mcp_types.ContentBlock) -> None:
        """Read a block that is not a text. Texts were read before."""
        match block:
            case mcp_types.ImageContent():
                if not self._image(block.data):
                    self.note("What was sent as a picture was left out.")
            case mcp_types.AudioContent():
                self.note(f"A sound ({one_line(block.mime_type, 60)}) was left out.")
            case mcp_types.ResourceLink():
                title = one_line(block.title or block.name, _MOST_TITLE)
                self._other(str(block.uri), title, block.description or "", block.mime_type)
            case mcp_types.EmbeddedResource(resource=mcp_types.TextResourceContents() as resource):
                self._other(str(resource.uri), "", self.text(resource.text), resource.mime_type)
            case mcp_types.EmbeddedResource(resource=mcp_types.BlobResourceContents() as resource):
                uri = one_line(str(resource.uri), _MOST_TITLE)
                if not self._image(resource.blob, uri):
                    kind = one_line(resource.mime_type or "of an unknown kind", 60)
                    self.note(f"The resource {uri} ({kind}) is not a text and was omitted.")

    def _other(self, uri: str, title: str, text: str, kind: str | None) -> None:
        facts = {"tool": self.tool, "server": self.server.name, "uri": uri}
        if kind:
            facts["type"] = kind
        self.others.append(Source(uri or self._id(text), title or uri, uri, "tool", facts, text))

    def _decoded(self, found: re.Match[str]) -> str:
        """Return the replacement of encoded data in a text."""
        start, comma, data = found[0].partition(",")
        if not comma:
            data = start
            if not _MIXED.match(data[:2_000]):
                return found[0]
        if self._image(data):
            return f"[image {len(self.images)}]"
        self.note("Encoded data in a text was left out.")
        return f"[{len(data):,} characters of encoded data]"

    def _image(self, data: str, caption: str = "") -> bool:
        """Add a picture if it is valid and within the limits. Return whether it was added."""
        if len(data) * 3 // 4 > MOST_IMAGE:
            self.note(f"A picture of more than {MOST_IMAGE // 2**20} MB was left out.")
            return False
        try:
            content = base64.b64decode(data.translate(_URL_SAFE), validate=True)
        except (binascii.Error, ValueError):
            content = b""
        kind = _picture(content)
        if not kind:
            return False
        if len(self.images) >= MOST_IMAGES:
            self.note(f"More than {MOST_IMAGES} pictures: the others were left out.")
            return False
        caption = caption or f"image {len(self.images) + 1} of {self.title}"
        self.images.append(SourceImage(f"data:{kind};base64,{base64.b64encode(content).decode()}", caption))
        return True

    def _clean(self, source: Source, text: str) -> Source:
        facts = {
            one_line(name, 60): one_line(fact, _MOST_FACT) for name, fact in list(source.metadata.items())[:_MOST_FACTS]
        }
        images = tuple(
            SourceImage(image.url, one_line(image.caption, _MOST_TITLE))
            for image in source.images[:MOST_IMAGES]
            if _is_displayable(image.url)
        )
        if len(images) < len(source.images):
            self.note(f"Pictures that were left out: {len(source.images) - len(images)}.")
        return replace(
            source,
            id=one_line(source.id, _MOST_TITLE) or self._id(text),
            title=one_line(source.title, _MOST_TITLE),
            url=web_address(source.url),
            kind=one_line(source.kind, 40) if self.server.here is not None else "tool",
            metadata=facts,
            text=text,
            images=images,
        )

    def _id(self, text: str) -> str:
        key = json.dumps([dict(self.arguments), text], sort_keys=True, default=str)
        return f"{self.tool}-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:12]}"


_URL_SAFE = str.maketrans("-_", "+/", "\r\n \t")


def _repeated(structured: Mapping[str, Any], texts: list[str], content: list[mcp_types.ContentBlock]) -> bool:
    """Return whether the other content repeats the structured one, as servers do for clients that ignore the latter."""
    # The library wraps a value that is not an object.
    forms = [structured, *(structured.values() if len(structured) == 1 else ())]
    if [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in content] in forms:
        return True
    for text in texts:
        if text in forms:
            return True
        with contextlib.suppress(ValueError, RecursionError):
            if json.loads(text) in forms:
                return True
    return False


def _written(structured: Mapping[str, Any]) -> str:
    inner = structured["result"] if structured.keys() == {"result"} else structured
    with contextlib.suppress(RecursionError):
        return inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
    return ""


def _picture(content: bytes) -> str:
    """Return the type of a picture by its first bytes; empty if it is unknown."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _PICTURES.items() if content.startswith(magic)), "")


def _is_displayable(url: str) -> bool:
    return bool(web_address(url)) or (len(url) * 3 // 4 <= MOST_IMAGE + 100 and _PICTURE_ADDRESS.match(url) is not None)
