"""YAML text to plain data and marks, from the C parser's events, by the YAML 1.2 core schema."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from graphwright.flow import codes
from graphwright.flow.marks import Children, Finding, Mark, Unreadable
from graphwright.flow.plain_data import MAX_DEPTH, MAX_VALUES

_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MAYBE_NUMBER = frozenset("-+.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_NO_KEY = object()


def read_yaml(text: str) -> tuple[Any, Mark, list[Finding]]:
    """The one document in the text, its marks, and what is wrong with it but could be read.

    `on`, `yes`, `no`, `off` and dates are strings. Raises `Unreadable`.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self.anchors: dict[str, tuple[Any, tuple[int, int, str, Children | None], int]] = {}
        self.open_anchors: set[str] = set()

    def read(self) -> tuple[Any, Mark, list[Finding]]:
        try:
            data, marks = self._build(yaml.CSafeLoader(self.text))
        except yaml.MarkedYAMLError as failure:
            mark = failure.problem_mark or failure.context_mark
            at = min(mark.index, len(self.text)) if mark is not None else 0
            context = f" ({failure.context})" if failure.context else ""
            raise Unreadable(
                Finding(codes.SYNTAX, at, at, f"Not valid YAML: {failure.problem}{context}.", self._syntax_hint(at))
            ) from None
        except yaml.YAMLError as failure:
            raise Unreadable(Finding(codes.SYNTAX, 0, 0, f"Not valid YAML: {failure}.")) from None
        return data, marks, self.findings

    def _syntax_hint(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]
        if "\t" in line[: len(line) - len(line.lstrip())]:
            return "Indent with spaces: YAML does not allow tabs there."
        if re.search(r"(guard|when|validate|prompt|say):\s*[^\s'\"|>].*(: |\{| #)", line):
            return "Put the text in quotes: it holds characters that mean something to YAML."
        return "Check indentation, quotes and brackets here and in the line above."

    def _build(self, loader: Any) -> tuple[Any, Mark]:
        """Walk the events with an explicit stack: deep nesting must not hit Python's recursion limit."""
        root: Any = None
        root_mark: Mark = (-1, -1, 0, 0, "", None)
        next_event = loader.get_event
        stack: list[tuple[Any, ...]] = []
        container: Any = None
        children: Children = {}
        begin = limit = 0
        is_mapping = False
        key: Any = _NO_KEY
        key_start = key_end = -1
        count = documents = 0
        anchor: str | None
        while True:
            event = next_event()
            cls = event.__class__
            if cls is ScalarEvent:
                count += 1
                value = event.value
                if event.tag is not None:
                    self._refuse_tag(event)
                elif not event.style:
                    if value in _WORDS:
                        value = _WORDS[value]
                    elif value[0] in _MAYBE_NUMBER:
                        value = self._plain(value, event)
                elif event.style == '"' and "\0" in value:
                    self._refuse_nul(event)
                start, end, style = event.start_mark.index, event.end_mark.index, event.style
                inner: Children | None = None
                if event.anchor is not None:
                    self.anchors[event.anchor] = (value, (start, end, style, None), 1)
            elif cls is MappingStartEvent or cls is SequenceStartEvent:
                count += 1
                if event.tag is not None:
                    self._refuse_tag(event)
                if is_mapping and key is _NO_KEY:
                    self._stop(codes.KEY_NOT_TEXT, event, "A key must be a text, not a list or a mapping.")
                if len(stack) >= MAX_DEPTH:
                    self._stop(
                        codes.TOO_DEEP,
                        event,
                        f"Mappings and lists nest more than {MAX_DEPTH} deep here.",
                        "No flow needs that: is a bracket or a quote missing?",
                    )
                stack.append(
                    (container, children, begin, limit, is_mapping, key, key_start, key_end, event.anchor, count)
                )
                if event.anchor is not None:
                    self.open_anchors.add(event.anchor)
                    self.anchors.pop(event.anchor, None)
                is_mapping = cls is MappingStartEvent
                container = {} if is_mapping else []
                children = {}
                begin, limit = event.start_mark.index, -1
                if not event.flow_style:
                    newline = self.text.find("\n", begin)
                    limit = newline if newline >= 0 else len(self.text)
                key = _NO_KEY
                continue
            elif cls is MappingEndEvent or cls is SequenceEndEvent:
                value, inner, start, style = container, children, begin, ""
                end = limit if limit >= 0 else event.end_mark.index
                frame = stack.pop()
                container, children, begin, limit, is_mapping, key, key_start, key_end, anchor, opened = frame
                if anchor is not None:
                    self.open_anchors.discard(anchor)
                    self.anchors[anchor] = (value, (start, end, style, inner), count - opened + 1)
            elif cls is AliasEvent:
                value, (start, end, style, inner), size = self._alias(event)
                count += size
                if count > MAX_VALUES:
                    self._stop(
                        codes.ALIASES,
                        event,
                        f"Written out, the aliases make more than {MAX_VALUES:,} values.",
                        "Write the values out, or move what repeats into a subgraph.",
                    )
            elif cls is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._stop(
                        codes.YAML_FEATURE,
                        event,
                        "A second document begins here; a file holds one flow.",
                        "Remove the `---` line, or put the second flow into a file of its own.",
                    )
                continue
            elif cls is StreamEndEvent:
                return root, root_mark
            else:
                continue

            if container is None:
                root, root_mark = value, (-1, -1, start, end, style, inner)
            elif not is_mapping:
                children[len(container)] = (-1, -1, start, end, style, inner)
                container.append(value)
            elif key is _NO_KEY:
                key, key_start, key_end = value, start, end
                if value.__class__ is not str:
                    key = self._key(value, event)
                elif value == "<<" and not event.style and cls is ScalarEvent:
                    self._refuse_merge(event)
                if key in container:
                    self._duplicate(key, (start, end), children[key][:2])
            else:
                container[key] = value
                children[key] = (key_start, key_end, start, end, style, inner)
                key = _NO_KEY

    def _plain(self, value: str, event: Any) -> Any:
        if _INTEGER.match(value):
            if len(value) > 400:
                self._note(codes.NOT_JSON, event, "This number is too large.", "Put it in quotes if it is a text.")
                return 0
            return int(value)
        if _OCTAL_OR_HEX.match(value) and len(value) < 400:
            return int(value, 0)
        if _FLOAT.match(value):
            number = float(value)
            if number in (float("inf"), float("-inf")):
                self._note(codes.NOT_JSON, event, "This number is too large.", "Put it in quotes if it is a text.")
                return 0.0
            return number
        if _NOT_FINITE.match(value):
            self._note(
                codes.NOT_JSON,
                event,
                f"`{value}` is a number that JSON cannot hold.",
                "Use null or a finite number, or put it in quotes if it is a text.",
            )
            return 0.0
        return value

    def _alias(self, event: Any) -> tuple[Any, tuple[int, int, str, Children | None], int]:
        name = event.anchor
        if name in self.anchors:
            return self.anchors[name]
        if name in self.open_anchors:
            message, hint = f"The alias `*{name}` contains itself.", "A loop in a flow is made of edges, not aliases."
        else:
            message, hint = (
                f"The alias `*{name}` refers to no anchor above it.",
                f"Mark the value with `&{name}` first.",
            )
        self._stop(codes.ALIASES, event, message, hint)
        raise AssertionError  # unreachable: _stop raises

    def _key(self, key: Any, event: Any) -> str:
        shown = self.text[event.start_mark.index : event.end_mark.index] or "null"
        self._note(
            codes.KEY_NOT_TEXT,
            event,
            f"The key `{shown[:40]}` is not a text but {'nothing' if key is None else 'a ' + _NAMES[type(key)]}.",
            f'Put it in quotes: "{shown[:40]}".',
        )
        return str(key)

    def _duplicate(self, key: str, place: tuple[int, int], first: tuple[int, int]) -> None:
        message = f"The key `{key}` stands here for the second time in one mapping."
        self.findings.append(Finding(codes.DUPLICATE_FIELD, *place, message, "Keep one of the two.", first))

    def _refuse_tag(self, event: Any) -> None:
        hint = "Leave the tag out; put the value in quotes where it must be a text."
        self._note(
            codes.YAML_FEATURE, event, f"Tags such as `{event.tag[:60]}` have no meaning in a flow document.", hint
        )

    def _refuse_merge(self, event: Any) -> None:
        hint = "Write the fields out, or use an alias for a whole value."
        self._note(codes.YAML_FEATURE, event, "Merge keys (`<<`) are not part of YAML 1.2 and not read.", hint)

    def _refuse_nul(self, event: Any) -> None:
        self._note(codes.NOT_TEXT, event, "A text holds the character NUL.", "Remove the escape `\\0`.")

    def _note(self, code: codes.Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self.findings.append(Finding(code, start, end, message, hint))

    def _stop(self, code: codes.Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        raise Unreadable(*self.findings, Finding(code, start, end, message, hint))


_NAMES: dict[type, str] = {int: "number", float: "number", bool: "boolean", list: "list", dict: "mapping"}
