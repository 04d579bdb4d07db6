"""Cleaning of model replies: thoughts at the beginning of a text are removed, lone surrogates replaced."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from graphwright.models._failures import (
    CutReply,
    EmptyReply,
    _Declined,
)

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_THOUGHTS_ALONE = "graphwright_thoughts_alone"
"""The metadata key of a reply whose text contained only thoughts."""

_TAGS = ("think", "thinking", "thought", "reasoning")
_OPENINGS = {f"<{name}>": f"</{name}>" for name in _TAGS} | {"[THINK]": "[/THINK]"}
"""The tags that open a block of thoughts, with their closing tags."""

_LONE_CLOSING = re.compile(rf"^[ \t]*</(?:{'|'.join(_TAGS)})>[ \t]*$", re.MULTILINE)
"""Servers whose chat template opens the block send only its end."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def cleaned(reply: AIMessage) -> AIMessage:
    """Return the reply without thoughts at the beginning of its text, and with U+FFFD for each lone surrogate.

    Text that cannot be encoded as UTF-8 can be neither stored nor sent.
    """
    content: Any = without_thoughts(encodable(reply.content)) if isinstance(reply.content, str) else reply.content
    if isinstance(content, list):
        content = _without_thoughts_in_blocks(_encodable_json(content))
    calls, broken = _encodable_json(reply.tool_calls), _encodable_json(reply.invalid_tool_calls)
    if (content, calls, broken) == (reply.content, reply.tool_calls, reply.invalid_tool_calls):
        return reply
    changes: dict[str, Any] = {"content": content, "tool_calls": calls, "invalid_tool_calls": broken}
    found = reply.model_copy(update=changes)
    if reply.text.strip() and not found.text.strip():
        found.response_metadata = {**reply.response_metadata, _THOUGHTS_ALONE: True}
    return found


def nothing_in(reply: AIMessage, wanted: str = "") -> EmptyReply:
    """Return the failure for a cleaned reply without text and calls. `wanted` names the required answer."""
    where = f" where {wanted} was asked for" if wanted else ""
    if reply.response_metadata.get(_THOUGHTS_ALONE):
        return thoughts_alone(where)
    return EmptyReply(f"The model answered with nothing{where}.")


def thoughts_alone(where: str = "") -> EmptyReply:
    """Return the failure for a reply that contains only thoughts."""
    return EmptyReply(
        f"The model answered with thoughts alone{where}: no text follows them.",
        "Try again, use another model, or set the reasoning parser of the server.",
    )


def without_thoughts(text: str) -> str:
    """Return the text without the blocks of thoughts at its beginning; empty if the last of them is not closed."""
    whole = text
    while opening := next((each for each in _OPENINGS if text.lstrip().startswith(each)), ""):
        _, closed, text = text.lstrip().removeprefix(opening).partition(_OPENINGS[opening])
        if not closed:
            return ""
    if text is not whole:
        return text.lstrip()
    lone = _LONE_CLOSING.search(text)
    return text[lone.end() :].lstrip() if lone and not text.lstrip().startswith(("{", "[", "```")) else text


def json_in(text: str) -> str:
    """Return the JSON of an answer, without a code fence around it.

    Escapes of lone surrogates in it are replaced by U+FFFD.
    """
    text = text.strip("\ufeff \t\r\n")
    if not text.startswith(("{", "[")):
        found = _FENCED.search(text) or re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
        text = found[1].strip() if found else text
    if _SURROGATE_ESCAPE.search(text):
        with contextlib.suppress(ValueError, RecursionError):
            return json.dumps(_encodable_json(json.loads(text)), ensure_ascii=False)
    return text


def encodable(text: str) -> str:
    """Return the text with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _encodable_json(value: Any) -> Any:
    """Return a JSON value with encodable texts; the same object if nothing changes."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
        return json.loads(encodable(text)) if _SURROGATE.search(text) else value
    # It is nested too deeply; validation reports that.
    except RecursionError:
        return value


def _without_thoughts_in_blocks(blocks: list[Any]) -> list[Any]:
    """Return content blocks without the thoughts at the beginning of the first text."""
    made = list(blocks)
    for place, block in enumerate(blocks):
        text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else block
        if isinstance(text, str):
            rest = without_thoughts(text)
            made[place] = rest if isinstance(block, str) else {**block, "text": rest}
            break
    return made


class StreamedText:
    """The text of a stream, piece by piece, without thoughts at its beginning.

    Only a possible beginning of a tag, white space before the text, and half a surrogate pair are delayed. `thought` is
    true if there were thoughts so far.
    """

    def __init__(self) -> None:
        self._kept = ""
        self._closing = ""
        self.thought = False
        self._began = False

    def add(self, piece: str) -> str:
        """Return the text that can be shown after this piece; often the piece itself."""
        text, self._kept = self._kept + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._kept = text[:-1], text[-1]
        return encodable(self._without_thoughts(text))

    def end(self) -> str:
        """Return the rest at the end of the stream, without thoughts."""
        kept, self._kept = self._kept, ""
        return "" if not self._began and (self.thought or not kept.strip()) else encodable(kept)

    def _without_thoughts(self, text: str) -> str:
        while not self._began:
            if self._closing:
                _, closed, rest = text.partition(self._closing)
                if not closed:
                    self._kept = text[-len(self._closing) + 1 :] + self._kept
                    return ""
                text, self._closing = rest, ""
            start = text.lstrip()
            if opening := next((each for each in _OPENINGS if start.startswith(each)), ""):
                text, self._closing, self.thought = start.removeprefix(opening), _OPENINGS[opening], True
                continue
            if any(each.startswith(start) for each in _OPENINGS):
                self._kept = text + self._kept
                return ""
            self._began = True
            text = start if self.thought else text
        return text


def ending(reply: AIMessage) -> Literal["", "cut", "declined"]:
    """Return why an answer is incomplete: cut at the output limit, or declined by the model; else empty."""
    metadata = reply.response_metadata
    reason = str(metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")).lower()
    if reply.additional_kwargs.get("refusal") or reason in ("refusal", "content_filter"):
        return "declined"
    return "cut" if reason in ("length", "max_tokens") else ""


def check_whole(reply: AIMessage) -> None:
    """Return why an answer is incomplete: cut at the output limit, or declined by the model; empty if complete."""
    match ending(reply):
        case "declined":
            refusal = reply.additional_kwargs.get("refusal")
            raise _Declined(
                f"The model declined to answer: {str(refusal).rstrip('.')}."
                if refusal
                else "The model declined to answer."
            )
        case "cut":
            raise CutReply("The model's answer was cut off at its output limit.")
