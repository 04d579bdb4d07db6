"""YAML text to plain data and positions, from the C parser's events, by the YAML 1.2 core schema."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

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

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.json_text import MAX_DEPTH, MAX_VALUES
from graphwright.flow.source_positions import Children, Finding, Position, Unreadable

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

MAX_WRITTEN_OUT = 8 * 1024 * 1024
"""How many characters the aliases of a text may stand for. Who writes such data out meets them all."""

MAX_FINDINGS = 100
"""How much is found wrong before reading stops."""

_Place = tuple[int, int, str, Children | None]


def read_yaml(text: str) -> tuple[Any, Position, list[Finding]]:
    """The one document in the text, its positions, and what is wrong with it but could be read.

    `on`, `yes`, `no`, `off` and dates are strings. Time and memory are bounded by the length of the text, and so is
    what comes of writing the data out: aliases may neither nest it deeper than `MAX_DEPTH` nor make more of it than
    `MAX_VALUES` and `MAX_WRITTEN_OUT`. Raises `Unreadable`.
    """
    return _Reader(text).read()


class _Anchored(NamedTuple):
    """A value with an anchor: how many values it holds and how deep, and how many characters it stands for."""

    value: Any
    place: _Place
    values: int = 1
    depth: int = 0
    characters: int = 0


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self.anchors: dict[str, _Anchored] = {}
        self.open_anchors: set[str] = set()

    def read(self) -> tuple[Any, Position, list[Finding]]:
        try:
            data, positions = self._build(yaml.CSafeLoader(self.text))
        except yaml.MarkedYAMLError as failure:
            mark = failure.problem_mark or failure.context_mark
            at = min(mark.index, len(self.text)) if mark is not None else 0
            context = f" ({failure.context})" if failure.context else ""
            raise Unreadable(
                Finding(Code.SYNTAX, at, at, f"Not valid YAML: {failure.problem}{context}.", self._syntax_hint(at))
            ) from None
        except yaml.YAMLError as failure:
            raise Unreadable(Finding(Code.SYNTAX, 0, 0, f"Not valid YAML: {failure}.")) from None
        return data, positions, self.findings

    def _syntax_hint(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]
        if "\t" in line[: len(line) - len(line.lstrip())]:
            return "Indent with spaces: YAML does not allow tabs there."
        if re.search(r"(guard|when|validate|prompt|say):\s*[^\s'\"|>].*(: |\{| #)", line):
            return "Put the text in quotes: it holds characters that mean something to YAML."
        return "Check indentation, quotes and brackets here and in the line above."

    def _build(self, loader: Any) -> tuple[Any, Position]:
        """Walk the events with an explicit stack: deep nesting must not hit Python's recursion limit."""
        root: Any = None
        root_position: Position = (-1, -1, 0, 0, "", None)
        next_event = loader.get_event
        stack: list[tuple[Any, ...]] = []
        container: Any = None
        children: Children = {}
        begin = limit = 0
        is_mapping = False
        key: Any = _NO_KEY
        key_start = key_end = -1
        count = documents = 0
        deepest = written_out = 0  # since the innermost open anchor; by aliases so far
        anchor: str | None
        while True:
            event = next_event()
            cls = event.__class__
            if cls is ScalarEvent:
                count += 1
                if count > MAX_VALUES:
                    self._too_many(event)
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
                    self.anchors[event.anchor] = _Anchored(value, (start, end, style, None), characters=end - start)
            elif cls is MappingStartEvent or cls is SequenceStartEvent:
                count += 1
                if event.tag is not None:
                    self._refuse_tag(event)
                if is_mapping and key is _NO_KEY:
                    self._stop(Code.KEY_NOT_TEXT, event, "A key must be a text, not a list or a mapping.")
                if len(stack) >= MAX_DEPTH:
                    hint = "Nothing that is read here needs that: is a bracket or a quote missing?"
                    self._stop(Code.TOO_DEEP, event, f"Mappings and lists nest more than {MAX_DEPTH} deep here.", hint)
                if count > MAX_VALUES:
                    self._too_many(event)
                opened = None
                if event.anchor is not None:
                    opened = (event.anchor, count, written_out, deepest)
                    deepest = 0
                    self.open_anchors.add(event.anchor)
                    self.anchors.pop(event.anchor, None)
                stack.append((container, children, begin, limit, is_mapping, key, key_start, key_end, opened))
                if len(stack) > deepest:
                    deepest = len(stack)
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
                container, children, begin, limit, is_mapping, key, key_start, key_end, opened = stack.pop()
                if opened is not None:
                    anchor, before, written_before, deepest_before = opened
                    self.open_anchors.discard(anchor)
                    self.anchors[anchor] = _Anchored(
                        value,
                        (start, end, style, inner),
                        count - before + 1,
                        deepest - len(stack),
                        end - start + written_out - written_before,
                    )
                    deepest = max(deepest, deepest_before)
            elif cls is AliasEvent:
                value, (start, end, style, inner), values, depth, characters = self._alias(event)
                count += values
                written_out += characters
                deepest = max(deepest, len(stack) + depth)
                self._limit(event, count, written_out, len(stack) + depth)
            elif cls is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._stop(
                        Code.YAML_FEATURE,
                        event,
                        "A second document begins here; a text holds one.",
                        "Remove the `---` line, or put the second document into a file of its own.",
                    )
                continue
            elif cls is StreamEndEvent:
                return root, root_position
            else:
                continue

            if container is None:
                root, root_position = value, (-1, -1, start, end, style, inner)
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
                self._note(Code.NOT_JSON, event, "This number is too large.", "Put it in quotes if it is a text.")
                return 0
            return int(value)
        if _OCTAL_OR_HEX.match(value) and len(value) < 400:
            return int(value, 0)
        if _FLOAT.match(value):
            number = float(value)
            if number in (float("inf"), float("-inf")):
                self._note(Code.NOT_JSON, event, "This number is too large.", "Put it in quotes if it is a text.")
                return 0.0
            return number
        if _NOT_FINITE.match(value):
            self._note(
                Code.NOT_JSON,
                event,
                f"`{value}` is a number that JSON cannot hold.",
                "Use null or a finite number, or put it in quotes if it is a text.",
            )
            return 0.0
        return value

    def _too_many(self, event: Any) -> None:
        hint = "Keep data (lists, texts) outside the document."
        self._stop(Code.TOO_LARGE, event, f"The document holds more than {MAX_VALUES:,} values.", hint)

    def _limit(self, event: Any, values: int, characters: int, depth: int) -> None:
        """Refuse what the aliases up to this one come to when they are written out."""
        if values > MAX_VALUES:
            amount = f"make more than {MAX_VALUES:,} values"
        elif characters > MAX_WRITTEN_OUT:
            amount = f"make more than {MAX_WRITTEN_OUT // 2**20} MiB of text"
        elif depth > MAX_DEPTH:
            amount = f"nest mappings and lists more than {MAX_DEPTH} deep"
        else:
            return
        self._stop(Code.ALIASES, event, f"Written out, the aliases {amount}.", "Use fewer aliases.")

    def _alias(self, event: Any) -> _Anchored:
        name = event.anchor
        if name in self.anchors:
            return self.anchors[name]
        if name in self.open_anchors:
            message, hint = (
                f"The alias `*{name}` contains itself.",
                "Write the value out.",
            )
        else:
            message, hint = (
                f"The alias `*{name}` refers to no anchor above it.",
                f"Mark the value with `&{name}` first.",
            )
        self._stop(Code.ALIASES, event, message, hint)
        raise AssertionError  # unreachable: _stop raises

    def _key(self, key: Any, event: Any) -> str:
        shown = self.text[event.start_mark.index : event.end_mark.index] or "null"
        self._note(
            Code.KEY_NOT_TEXT,
            event,
            f"The key `{shown[:40]}` is not a text but {'nothing' if key is None else 'a ' + _NAMES[type(key)]}.",
            f'Put it in quotes: "{shown[:40]}".',
        )
        return str(key)

    def _duplicate(self, key: str, place: tuple[int, int], first: tuple[int, int]) -> None:
        message = f"The key `{key}` stands here for the second time in one mapping."
        self._found(Finding(Code.DUPLICATE_FIELD, *place, message, "Keep one of the two.", first))

    def _refuse_tag(self, event: Any) -> None:
        hint = "Leave the tag out; put the value in quotes where it must be a text."
        self._note(Code.YAML_FEATURE, event, f"Tags such as `{event.tag[:60]}` have no meaning here.", hint)

    def _refuse_merge(self, event: Any) -> None:
        hint = "Write the fields out, or use an alias for a whole value."
        self._note(Code.YAML_FEATURE, event, "Merge keys (`<<`) are not part of YAML 1.2 and not read.", hint)

    def _refuse_nul(self, event: Any) -> None:
        self._note(Code.NOT_TEXT, event, "A text holds the character NUL.", "Remove the escape `\\0`.")

    def _note(self, code: Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._found(Finding(code, start, end, message, hint))

    def _found(self, finding: Finding) -> None:
        self.findings.append(finding)
        if len(self.findings) >= MAX_FINDINGS:
            raise Unreadable(*self.findings)

    def _stop(self, code: Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        raise Unreadable(*self.findings, Finding(code, start, end, message, hint))


_NAMES: dict[type, str] = {int: "number", float: "number", bool: "boolean", list: "list", dict: "mapping"}
