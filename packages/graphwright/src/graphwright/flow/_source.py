"""The text of a flow document, read into plain data with the position of every key and value, and its portability."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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

from graphwright.flow._cut_texts import cut_texts
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_text import (
    MAX_DEPTH,
    MAX_VALUES,
    Children,
    Finding,
    Position,
    Unreadable,
    json_positions,
    plain_findings,
    read_json,
)
from graphwright.flow.diagnostics import START, Diagnostic, Fix, Related, Severity, Span
from graphwright.text.near_names import Suggestion
from graphwright.text.sentences import many

FLAGS_1_1 = frozenset(word for name in ("yes", "no", "on", "off") for word in (name, name.capitalize(), name.upper()))
"""Texts that YAML 1.1 reads as true or false."""

_OTHER_NUMBER = re.compile(
    r"""[-+]?0[0-9_]+\Z|0o[0-7]+\Z|[-+]?0b[01_]+\Z  # octal in YAML 1.1, octal in 1.2, binary in 1.1
    |[-+]?[0-9][0-9_]*_[0-9_.]*\Z                   # digits in groups
    |[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9_]*)?\Z       # base 60
    |[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+\Z   # an exponent; YAML 1.1 needs a point and a sign
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?\Z     # a date
    """,
    re.VERBOSE,
)
_SAME_EXPONENT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)[eE][-+][0-9]+\Z")
_MAX_LENGTH = 40


def is_other_number(scalar: str) -> bool:
    """Whether a scalar that begins like a number has another value in YAML 1.1."""
    return _OTHER_NUMBER.match(scalar) is not None and _SAME_EXPONENT.match(scalar) is None


def portability_findings(text: str, scalars: Iterable[tuple[int, int]]) -> list[Finding]:
    """At most one finding for each kind of difference, at the first scalar; the other scalars are related places."""
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end in scalars:
        scalar = text[start:end]
        kind = "flag" if scalar in FLAGS_1_1 else "number" if is_other_number(scalar) else "?"
        places.setdefault(kind, []).append((start, end))
    return [_finding(text, kind, found) for kind, found in places.items()]


def _finding(text: str, kind: str, places: list[tuple[int, int]]) -> Finding:
    (start, end), *others = places
    scalar = text[start:end]
    shown = scalar if len(scalar) <= _MAX_LENGTH else f"{scalar[: _MAX_LENGTH - 3]}..."
    if kind == "?":
        message = f"Some YAML parsers cannot read `{shown}`: inside braces, `?` ends a text without quotes."
    elif kind == "flag":
        message = f"`{shown}` is a text here, and true or false to a YAML 1.1 parser."
    else:
        message = f"YAML 1.1 parsers read `{shown}` as another value than this program, which follows YAML 1.2."
    message += f" The same is true in {many(len(others), 'other place')}." if others else ""
    hint = f'Put it in quotes: "{shown}".' if kind != "number" else f'Put it in quotes if it is a text: "{shown}".'
    return Finding(Code.YAML_PORTABILITY, start, end, message, hint, others=tuple(others))


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
"""The maximum total length of expanded aliases, in characters. Code that writes such data expands them."""

MAX_FINDINGS = 100
"""The number of findings after which reading stops."""

MAX_RELATED = 20
"""The maximum number of other places that a finding of the reader shows."""

_Place = tuple[int, int, str, Children | None]


def read_yaml(text: str) -> tuple[Any, Position, list[Finding]]:
    """The one document in the text, its positions, and its errors that do not prevent reading.

    `on`, `yes`, `no`, `off` and dates are strings. The length of the text limits time and memory. The size of the data
    with expanded aliases is limited by `MAX_DEPTH`, `MAX_VALUES` and `MAX_WRITTEN_OUT`. Raises `Unreadable`.
    """
    return _Reader(text).read()


class _Anchored(NamedTuple):
    """A value with an anchor: the number of its values, their depth, and the number of characters it expands to."""

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
        self.unportable: list[tuple[int, int]] = []
        """Start and end of the scalars that other YAML parsers read as another value."""

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
        """Walk the events with an explicit stack, so that deep nesting does not reach Python's recursion limit."""
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
                        if is_other_number(value):
                            self.unportable.append((event.start_mark.index, event.end_mark.index))
                        value = self._plain(value, event)
                    elif value in FLAGS_1_1 or ("?" in value and limit < 0):
                        self.unportable.append((event.start_mark.index, event.end_mark.index))
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
                    self._stop(Code.KEY_NOT_TEXT, event, "A key must be a text, not a list or a mapping.", _IN_QUOTES)
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
                        "Remove the `---` line, or put the second document into another file.",
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
        """Reject aliases that expand to too much data."""
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
        message = f"The alias `*{name}` refers to no anchor above it."
        if name in self.open_anchors:
            message = f"The alias `*{name}` contains itself."
        self._stop(Code.ALIASES, event, message, f"Mark a whole value above it with `&{name}`, or write the value out.")
        raise AssertionError  # unreachable: _stop raises

    def _key(self, key: Any, event: Any) -> str:
        shown = self.text[event.start_mark.index : event.end_mark.index] or "null"
        message = f"The key `{shown[:40]}` is not a text."
        self._note(Code.KEY_NOT_TEXT, event, message, f'Put it in quotes: "{shown[:40]}".')
        return str(key)

    def _duplicate(self, key: str, place: tuple[int, int], first: tuple[int, int]) -> None:
        message = f"The key `{key}` is here for the second time in one mapping."
        self._add(Finding(Code.DUPLICATE_FIELD, *place, message, "Keep one of the two.", first))

    def _refuse_tag(self, event: Any) -> None:
        hint = "Leave the tag out; put the value in quotes where it must be a text."
        self._note(Code.YAML_FEATURE, event, f"Tags such as `{event.tag[:60]}` have no meaning here.", hint)

    def _refuse_merge(self, event: Any) -> None:
        hint = "Write the fields out, or use an alias for a whole value."
        self._note(Code.YAML_FEATURE, event, "Merge keys (`<<`) are not part of YAML 1.2 and not read.", hint)

    def _refuse_nul(self, event: Any) -> None:
        self._note(Code.NOT_TEXT, event, "A text contains the character NUL.", "Remove the escape `\\0`.")

    def _note(self, code: Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._add(Finding(code, start, end, message, hint))

    def _add(self, finding: Finding) -> None:
        self.findings.append(finding)
        if len(self.findings) >= MAX_FINDINGS:
            raise Unreadable(*self.findings)

    def _stop(self, code: Code, event: Any, message: str, hint: str = "") -> None:
        start, end = event.start_mark.index, event.end_mark.index
        raise Unreadable(*self.findings, Finding(code, start, end, message, hint))


_IN_QUOTES = 'In YAML a text that begins with a brace needs quotes: say: "{{ answers.name }}, thank you."'
MAX_BYTES = 8 * 1024 * 1024
"""The maximum size of a text, in bytes of UTF-8."""

Path = tuple[str | int, ...]
"""A place in the data: the keys and indexes that lead to it."""

Inside = tuple[int, int]
"""A line and a column inside a text of the document; both count from 1."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_JSON_BEGIN = re.compile(r'\s*\{\s*"')
_ESCAPES = {"x": 4, "u": 6, "U": 10}
"""The length of an escape, if it is not 2."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def pointer(path: Path) -> str:
    """The JSON pointer (RFC 6901) of a path; empty for the whole document."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


@dataclass
class Source:
    """Data read from a text (or passed as data), and the place of each part of it.

    A path to a missing part, such as a missing field, has the place of its last existing part. Data without a text is
    at line 1, column 1. `file` is the name of the file if the document has layers.
    """

    data: Any
    text: str = ""
    positions: Position | None = None
    file: str = ""
    is_json: bool = field(default=False, repr=False)
    unportable: Sequence[tuple[int, int]] = ()

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.text))]

    def origin(self, path: Path, inside: Inside | None = None) -> tuple[Source, Path, Inside | None]:
        """Where the value at `path` was written: a source, the path in it, and the line and column in the text."""
        return self, path, inside

    def span(self, path: Path, *, key: bool = False) -> Span:
        """The place of the value at `path`; with `key`, the place of its key."""
        mark, whole = self._find(path)
        if mark is None:
            return START
        key_start, key_end, start, end, _, _ = mark
        return self._span(key_start, key_end) if key and whole and key_start >= 0 else self._span(start, end)

    def span_inside(self, path: Path, line: int, column: int) -> Span:
        """The place in the text of a line and column (from 1) of the string at `path`.

        Escapes, folds and indentation are undone; if that fails it is the start of the string.
        """
        mark, whole = self._find(path)
        value = self.value(path)
        if mark is None or not whole or not isinstance(value, str):
            return self.span(path)
        _, _, start, end, style, _ = mark
        lines = value.split("\n")
        offset = sum(len(before) + 1 for before in lines[: line - 1]) + column - 1
        at = _offset_in_source(self.text[start:end], style, value, max(0, min(offset, len(value))))
        if at is None:
            return self._span(start, end)
        word = _NAME.match(self.text, start + at)
        return self._span(start + at, word.end() if word else start + at + 1)

    def fix(self, span: Span, suggested: Suggestion) -> Fix | None:
        """The change that a suggestion makes at a place; None if the text there is not what it replaces."""
        starts = self._line_starts
        if not self.text or max(span.line, span.end_line) > len(starts):
            return None
        start, end = starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1
        at = start if self.text.startswith(suggested.wanted, start) else self.text.find(suggested.wanted, start, end)
        if at < 0 or not suggested.wanted:
            return None
        return Fix(self._span(at, at + len(suggested.wanted)), suggested.name)

    def written(self, path: Path) -> str | None:
        """The source text of the unquoted YAML scalar at `path`; None for anything else."""
        mark, whole = self._find(path)
        if mark is None or not whole or self.is_json or mark[4] or mark[5] is not None:
            return None
        return self.text[mark[2] : mark[3]]

    def remarks(self) -> list[Diagnostic]:
        """The scalars that other YAML parsers read as another value, and texts that a comment cuts off."""
        found = portability_findings(self.text, self.unportable)
        if self.positions is not None and not self.is_json:
            found += cut_texts(self.text, self.positions)
        return [self.diagnostic(finding) for finding in found]

    def _find(self, path: Path) -> tuple[Position | None, bool]:
        """The mark of the value at `path`, or of the innermost existing container on the way."""
        if self.positions is None and self.is_json:
            self.positions = json_positions(self.text)[0]
        mark = self.positions
        if mark is None:
            return None, False
        for step in path:
            children = mark[5]
            if children is None or step not in children:
                return mark, False
            mark = children[step]
        return mark, True

    def value(self, path: Path) -> Any:
        """The value at `path`; None if it does not exist."""
        value = self.data
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def _span(self, start: int, end: int) -> Span:
        line, column = self._position(start)
        return Span(line, column, *self._position(max(start, end)))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """Convert a finding of the reader, which has offsets, to a diagnostic."""
        related = tuple(Related("and here", self._span(*at), "", self.file) for at in finding.others[:MAX_RELATED])
        if finding.first is not None:
            related = (Related("first here", self._span(*finding.first), "", self.file),)
        span = self._span(finding.start, finding.end)
        code = finding.code
        return Diagnostic(code.value, code.severity, finding.message, span, "", finding.hint, related, self.file)


def read_text(text: str | bytes) -> tuple[Source | None, list[Diagnostic]]:
    """Read a flow document. If the text cannot be read, the source is None and the diagnostics say why."""
    source, diagnostics = read_plain(text)
    if source is not None and not isinstance(source.data, dict):
        return None, [*diagnostics, _not_a_mapping(source)]
    return source, diagnostics


def read_plain(text: str | bytes) -> tuple[Source | None, list[Diagnostic]]:
    """Read any YAML or JSON. Every file that people write is read by this function, within the same limits.

    The data may be of any type; an empty text is None. If the text cannot be read, the source is None and the
    diagnostics say why. All of them are errors.
    """
    size = len(text)
    if isinstance(text, bytes):
        try:
            decoded = text.decode("utf-8-sig") if size <= MAX_BYTES else ""
        except UnicodeDecodeError as failure:
            before = text[: failure.start].decode("utf-8", "replace")
            place = Source(None, before)
            hint = "Save the file as UTF-8."
            if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
                hint = "It looks like UTF-16: save the file as UTF-8."
            message = f"The text is not UTF-8: byte 0x{text[failure.start]:02x} does not belong here."
            return None, [place.diagnostic(Finding(Code.NOT_TEXT, len(before), len(before), message, hint))]
    else:
        decoded = text.removeprefix("\ufeff")
        if size <= MAX_BYTES < size * 4:
            size = len(decoded.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        message = f"The text has more than {MAX_BYTES // 2**20} MiB, which is the most that is read."
        hint = "Split it into several, and keep data (lists, texts) outside."
        return None, [Source(None).diagnostic(Finding(Code.TOO_LARGE, 0, 0, message, hint))]
    return _read(decoded)


def _read(text: str) -> tuple[Source | None, list[Diagnostic]]:
    source = Source(None, text)
    junk = _CONTROL.search(text)
    if junk is not None:
        message = f"The control character U+{ord(junk.group()):04X} does not belong in a text."
        hint = "Is this a text file? Remove the character, or write it as an escape in double quotes."
        return None, [source.diagnostic(Finding(Code.NOT_TEXT, junk.start(), junk.end(), message, hint))]
    try:
        braces = text.lstrip().startswith(("{", "["))
        findings = _read_braces(source) if braces else _read_yaml(source)
    except Unreadable as failure:
        return None, [source.diagnostic(finding) for finding in failure.findings]
    return source, [source.diagnostic(finding) for finding in findings]


def _read_yaml(source: Source) -> list[Finding]:
    reader = _Reader(source.text)
    source.data, source.positions, findings = reader.read()
    source.unportable = reader.unportable
    return findings


def _read_braces(source: Source) -> list[Finding]:
    """Read JSON, or YAML that begins with a bracket or a brace. A quote after the brace shows that JSON was meant."""
    try:
        source.data, findings = read_json(source.text)
    except Unreadable as failure:
        if failure.findings[0].code is not Code.SYNTAX or _JSON_BEGIN.match(source.text):
            raise
        try:
            return _read_yaml(source)
        except Unreadable:
            raise failure from None
    source.is_json = True
    return findings


def _not_a_mapping(source: Source) -> Diagnostic:
    if source.data is None:
        message, code = "The document is empty.", Code.EMPTY
    else:
        message, code = "A flow document is a mapping of fields, and this is something else.", Code.NOT_A_MAPPING
    hint = "Begin with `version: v1`, `id: ...`, `nodes:` and `edges:`."
    return Diagnostic(code.value, code.severity, message, source.span(()), "", hint, (), source.file)


def read_data(data: Mapping[str, Any]) -> tuple[Source | None, list[Diagnostic]]:
    """Take data that was already parsed, and report parts that JSON cannot hold."""
    if not isinstance(data, dict):
        return None, [_not_a_mapping(Source(data))]
    found = plain_findings(data)
    if not found:
        return Source(data), []
    return None, [
        Diagnostic(code.value, code.severity, message, START, pointer(path), hint)
        for code, path, message, hint in found
    ]


def _offset_in_source(raw: str, style: str, value: str, offset: int) -> int | None:
    """Map an offset into a scalar's value to an offset into its source text `raw` (with quotes and header).

    None if the offset is lost, as after a character that is written as two surrogates.
    """
    i = 0
    if style in ("'", '"'):
        i = 1
        if raw[1 : 1 + len(value)] == value:
            return 1 + offset
    elif style in ("|", ">"):
        i = raw.find("\n") + 1
    elif raw[: len(value)] == value:
        return offset
    j = 0
    while j < offset:
        if i >= len(raw):
            return None
        if style == '"' and raw[i] == "\\":
            i, j = i + _ESCAPES.get(raw[i + 1], 2), j + (raw[i + 1] != "\n")
        elif style == "'" and raw[i : i + 2] == "''":
            i, j = i + 2, j + 1
        elif raw[i].isspace() or value[j].isspace():
            while i < len(raw) and raw[i].isspace():
                i += 1
            while j < offset and value[j].isspace():
                j += 1
        elif raw[i] == value[j]:
            i, j = i + 1, j + 1
        else:
            return None
    while i < len(raw) and raw[i].isspace() and offset < len(value) and not value[offset].isspace():
        i += 1
    return i


class Reporter:
    """Collects findings at paths of one source as diagnostics; nothing is raised, so that one run finds everything."""

    def __init__(self, source: Source, found: Sequence[Diagnostic] = ()) -> None:
        self.source = source
        self.found = list(found)
        self._reported: list[tuple[str, str]] = []

    @property
    def has_errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.found)

    def pointers(self, *codes: str) -> frozenset[str]:
        """The pointers into the data of this source at which these codes were reported."""
        return frozenset(at for code, at in self._reported if code in codes)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """The findings in the order of the text; at one place errors before warnings."""
        order = {severity: place for place, severity in enumerate(Severity)}
        # A finding that an option is not read as written says more than the remark that parsers differ on it.
        told = {(d.file, d.span) for d in self.found if d.code == Code.SCALAR_NOT_TEXT}
        kept = [
            found
            for found in self.found
            if found.code != Code.YAML_PORTABILITY
            or not {(found.file, found.span), *((other.file, other.span) for other in found.related)} <= told
        ]
        return tuple(
            sorted(kept, key=lambda d: (d.file, d.span.line, d.span.column, order[d.severity], d.code, d.pointer))
        )

    def add(
        self,
        code: Code,
        path: Path,
        message: str,
        hint: str = "",
        *,
        key: bool = False,
        inside: Inside | None = None,
        related: Sequence[tuple[str, Path]] = (),
        suggested: Suggestion | None = None,
    ) -> None:
        """Report at the value of `path`, at its key, or at a line and column inside its text.

        `suggested` is what the hint suggests, by default the hint itself.
        """
        self._reported.append((code.value, pointer(path)))
        source, at, place = self.source.origin(path, inside)
        span = source.span_inside(at, *place) if place is not None else source.span(at, key=key)
        others = tuple(self._related(text, at) for text, at in related)
        suggested = suggested or (hint if isinstance(hint, Suggestion) else None)
        fix = source.fix(span, suggested) if suggested is not None else None
        found = Diagnostic(code.value, code.severity, message, span, pointer(at), str(hint), others, source.file, fix)
        self.found.append(found)

    def _related(self, message: str, path: Path) -> Related:
        source, at, _ = self.source.origin(path)
        return Related(message, source.span(at), pointer(at), source.file)
