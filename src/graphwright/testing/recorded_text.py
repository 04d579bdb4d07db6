"""A recorded conversation as YAML that reads like one written by hand, and that reads back as what it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.flow.source import read_yaml
from graphwright.flow.source_positions import Unreadable

_PLAIN = re.compile(r"[^\W\d][\w@+/-]*(?:[ .][\w@+/-]+)*")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def conversation_text(data: Mapping[str, Any], head: str) -> str:
    """The content of a conversation file; `head` is its first line, a comment.

    Raises GraphwrightError (`not_recordable`) for what no YAML file can hold.
    """
    text = "\n".join([f"# {head}", *_lines(data), ""])
    try:
        same = read_yaml(text)[::2] == (data, [])
    except Unreadable:
        same = False
    if not same:
        raise GraphwrightError(
            "not_recordable",
            "The conversation holds characters that no YAML file can hold.",
            "Write the file by hand; 'graphwright threads show' has what was said.",
        )
    return text


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        if name != "turns":
            yield f"{name}: {_flow(value)}"
            continue
        yield "turns:"
        for turn in value:
            begin = "  - "
            for field, content in turn.items():
                yield from (f"{begin if at == 0 else '    '}{line}" for at, line in enumerate(_field(field, content)))
                begin = "    "


def _field(name: str, content: Any) -> list[str]:
    """A field of a turn: what is expected line by line, replies and texts one a line, anything else on one line."""
    if name == "expect":
        inner = [line for key, value in content.items() for line in _field(key, value)]
        return ["expect:", *(f"  {line}" for line in inner)]
    if isinstance(content, list) and content and name in ("model", "reply"):
        return [f"{name}:", *(f"  - {_flow(item)}" for item in content)]
    return [f"{name}: {_flow(content)}"]


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(name)}: {_flow(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
