"""JSON text to plain data; the marks are made only when a diagnostic needs them."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.marks import Children, Finding, Mark, Unreadable
from graphwright.flow.plain_data import plain_findings

_TOKEN = re.compile(r'[{}\[\]:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+')
_BARE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(-?(?:Infinity|NaN))')


def read_json(text: str) -> tuple[Any, list[Finding]]:
    """The document in the text, and what is wrong with it but could be read. Raises `Unreadable`."""
    duplicates: list[bool] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            duplicates.append(True)
        return made

    def refuse(word: str) -> NoReturn:
        at = next((m.start(1) for m in _BARE.finditer(text) if m.group(1)), 0)
        raise Unreadable(
            Finding(
                Code.NOT_JSON,
                at,
                at + len(word),
                f"`{word}` is not a number that JSON can hold.",
                "Use null or a finite number.",
            )
        )

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    except json.JSONDecodeError as failure:
        at = min(failure.pos, len(text))
        hint = "Check commas, quotes and brackets here and in the line above."
        raise Unreadable(Finding(Code.SYNTAX, at, at, f"Not valid JSON: {failure.msg}.", hint)) from None
    except RecursionError:
        raise Unreadable(Finding(Code.TOO_DEEP, 0, 0, "Objects and lists nest far too deep.")) from None
    except ValueError:
        raise Unreadable(Finding(Code.NOT_JSON, 0, 0, "A number in the document is too large.")) from None
    findings = json_marks(text)[1] if duplicates else []
    problems = plain_findings(data, trusted_keys=True)
    if problems:
        code, path, message, hint = problems[0]
        raise Unreadable(Finding(code, *_range(json_marks(text)[0], path), message, hint))
    return data, findings


def _range(mark: Mark, path: tuple[str | int, ...]) -> tuple[int, int]:
    for step in path:
        mark = (mark[5] or {}).get(step, mark)
    return mark[2], mark[3]


def json_marks(text: str) -> tuple[Mark, list[Finding]]:
    """The marks of valid JSON, and its duplicate keys."""
    findings: list[Finding] = []
    top: Children = {}
    stack: list[tuple[Children, bool]] = [(top, False)]
    key: Any = None
    key_start = key_end = -1
    opened: list[tuple[Any, int, int, int]] = []
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        first = text[start]
        if first == ":":
            continue
        children, is_object = stack[-1]
        if first in "{[":
            opened.append((key, key_start, key_end, start))
            stack.append(({}, first == "{"))
            key, key_start, key_end = None, -1, -1
            continue
        if first in "}]":
            key, key_start, key_end, start = opened.pop()
            stack.pop()
            inner: Children | None = children
            children, is_object = stack[-1]
            style = ""
        elif is_object and key is None:
            key, key_start, key_end = json.loads(token.group()), start, end
            if key in children:
                message = f"The key `{key}` stands here for the second time in one object."
                place = children[key][:2]
                findings.append(Finding(Code.DUPLICATE_FIELD, start, end, message, "Keep one of the two.", place))
            continue
        else:
            inner, style = None, '"' if first == '"' else ""
        children[key if is_object else len(children)] = (key_start, key_end, start, end, style, inner)
        key, key_start, key_end = None, -1, -1
    root: Mark = top.get(0, (-1, -1, 0, len(text), "", None))
    return root, findings
