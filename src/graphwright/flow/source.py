"""The text of a flow document: read into plain data, with the place of every key and value."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.diagnostics import START, Diagnostic, Related, Report, Span
from graphwright.flow.json_text import json_positions, plain_findings, read_json
from graphwright.flow.source_positions import Finding, Position, Unreadable
from graphwright.flow.yaml_text import read_yaml

MAX_BYTES = 8 * 1024 * 1024
"""The largest text that is read, in bytes of UTF-8."""

Path = tuple[str | int, ...]
"""Where something stands in the data: the keys and indexes that lead to it."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_JSON_BEGIN = re.compile(r'\s*\{\s*"')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_ESCAPES = {"x": 2, "u": 4, "U": 8}


def pointer(path: Path) -> str:
    """The JSON pointer (RFC 6901) of a path; empty for the whole document."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


@dataclass
class Source:
    """Data read from a text (or given as data), and where each part of it stands.

    A path that leads nowhere, such as that of a missing field, stands where the last part of it stands that is
    there. Data that never was text stands at line 1, column 1.
    """

    data: Any
    text: str = ""
    positions: Position | None = None
    is_json: bool = field(default=False, repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.text))]

    def span(self, path: Path, *, key: bool = False) -> Span:
        """Where the value at `path` stands; with `key`, where its key stands."""
        mark, whole = self._find(path)
        if mark is None:
            return START
        key_start, key_end, start, end, _, _ = mark
        return self._span(key_start, key_end) if key and whole and key_start >= 0 else self._span(start, end)

    def span_inside(self, path: Path, line: int, column: int) -> Span:
        """Where line and column (from 1) of the string at `path` stand in the text.

        Escapes, folds and indentation are undone; where that fails it is the start of the string.
        """
        mark, whole = self._find(path)
        value = self._value(path)
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

    def written(self, path: Path) -> str:
        """The text of the scalar at `path`: of one without quotes just what stands there, `1.10` or `yes`."""
        value = self._value(path)
        if isinstance(value, str):
            return value
        mark, _ = self._find(path)
        return "" if mark is None else self.text[mark[2] : mark[3]]

    def _find(self, path: Path) -> tuple[Position | None, bool]:
        """The mark of the value at `path`, or of the innermost container on the way that is there."""
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

    def _value(self, path: Path) -> Any:
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
        """A finding of the reader, which knows offsets, as a diagnostic."""
        related: tuple[Related, ...] = ()
        if finding.first is not None:
            related = (Related("first here", self._span(*finding.first), ""),)
        span = self._span(finding.start, finding.end)
        code = finding.code
        return Diagnostic(code.value, code.severity, finding.message, span, "", finding.hint, related)


def read_text(text: str | bytes) -> tuple[Source | None, list[Diagnostic]]:
    """Read a flow document. Without a source the text cannot be read at all; the diagnostics say why."""
    source, diagnostics = read_plain(text)
    if source is not None and not isinstance(source.data, dict):
        return None, [*diagnostics, _not_a_mapping(source)]
    return source, diagnostics


def read_plain(text: str | bytes) -> tuple[Source | None, list[Diagnostic]]:
    """Read any YAML or JSON: every file that people write is read by this, within the same limits.

    The data may be of any type; None is an empty text. Without a source the text cannot be read at all; the diagnostics
    say why. All of them are errors.
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
    findings: list[Finding]
    try:
        if text.lstrip().startswith(("{", "[")):
            source.data, source.positions, source.is_json, findings = _read_braces(text)
        else:
            source.data, source.positions, findings = read_yaml(text)
    except Unreadable as failure:
        return None, [source.diagnostic(finding) for finding in failure.findings]
    return source, [source.diagnostic(finding) for finding in findings]


def _read_braces(text: str) -> tuple[Any, Position | None, bool, list[Finding]]:
    """JSON, or YAML that begins with a bracket or a brace; a quote behind the brace says that JSON was meant."""
    try:
        data, findings = read_json(text)
    except Unreadable as failure:
        if failure.findings[0].code is not Code.SYNTAX or _JSON_BEGIN.match(text):
            raise
        try:
            data, positions, findings = read_yaml(text)
        except Unreadable:
            raise failure from None
        return data, positions, False, findings
    return data, None, True, findings


def _not_a_mapping(source: Source) -> Diagnostic:
    if source.data is None:
        message, code = "The document is empty.", Code.EMPTY
    else:
        message, code = "A flow document is a mapping of fields, and this is something else.", Code.NOT_A_MAPPING
    hint = "Begin with `version: v1`, `id: ...`, `nodes:` and `edges:`."
    return Diagnostic(code.value, code.severity, message, source.span(()), "", hint)


def read_data(data: Mapping[str, Any]) -> tuple[Source | None, list[Diagnostic]]:
    """Take data that was already parsed; what JSON cannot hold is reported."""
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
    """Map an offset into a scalar's value to an offset into its source text `raw` (quotes, header and all)."""
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
            width, made = _escape(raw, i)
            i, j = i + width, j + made
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


def _escape(raw: str, i: int) -> tuple[int, int]:
    """How long the escape at `i` is, and how many characters it makes (none for an escaped line break)."""
    kind = raw[i + 1 : i + 2]
    if kind in _ESCAPES:
        width = 2 + _ESCAPES[kind]
        if kind == "u" and raw[i + 2 : i + 4].lower() in ("d8", "d9", "da", "db") and raw[i + 6 : i + 8] == "\\u":
            width += 6
        return width, 1
    if kind in ("\n", "\r"):
        rest = raw[i + 1 :]
        return 1 + len(rest) - len(rest.lstrip()), 0
    return 2, 1


class Reporter:
    """Turns findings at paths of one source into diagnostics."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.report = Report()

    def add(
        self,
        code: Code,
        path: Path,
        message: str,
        hint: str = "",
        *,
        key: bool = False,
        inside: tuple[int, int] | None = None,
        related: Sequence[tuple[str, Path]] = (),
    ) -> None:
        """Report at the value of `path`, at its key, or at a line and column inside its text."""
        span = self.source.span_inside(path, *inside) if inside is not None else self.source.span(path, key=key)
        others = tuple(Related(text, self.source.span(at), pointer(at)) for text, at in related)
        self.report.found.append(Diagnostic(code.value, code.severity, message, span, pointer(path), hint, others))
