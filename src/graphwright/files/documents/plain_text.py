"""Plain text and Markdown: text in any encoding, Markdown by its headings, front matter as metadata."""

from __future__ import annotations

import re

from graphwright.files.documents.collecting import Collected, Outline
from graphwright.files.tables.encodings import decoded

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:(=++)|(-++))[ \t]*+$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|]|\d+[.)])(?:\s|$)| {4}|\t|\s*\|")
_CODE_OR_COMMENT = re.compile(
    r"(?m)^ {0,3}(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^ {0,3}(?P=fence)|\Z)|<!--[\s\S]*?(?:-->|\Z)"
)
_FIELD = re.compile(r"([A-Za-z][\w .-]{0,59}):(?:[ \t]+(.*))?$")
_MOST_FRONT = 200
_MARKS = re.compile(
    r"([*`]{1,3})(?=\S)(.+?)(?<=\S)\1"
    # Names of signals are full of these.
    r"|(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\3(?!\w)"
    r"|!?\[([^\]]*)\]\([^)\s]*\)"
)


def read_text(content: bytes, collected: Collected) -> None:
    """The text of a plain file into `collected`, as one part."""
    collected.add((), None, _text(content, collected))


def read_markdown(content: bytes, collected: Collected) -> None:
    """The text of a Markdown file into `collected`, a part for each heading; its marks stay in the text."""
    lines = _text(content, collected).splitlines()
    lines = lines[_front(lines, collected) :]
    if any("<!--" in line for line in lines):
        # What a page does not show is not read, and code is shown as it is.
        shown = _CODE_OR_COMMENT.sub(lambda found: found[0] if found["fence"] else "", "\n".join(lines))
        lines = shown.split("\n")
    outline, held, fence = Outline(), list[str](), ""
    top = ""

    def entered(level: int, heading: str) -> None:
        nonlocal top
        if outline.path or any(held):
            collected.add(outline.path, None, "\n".join(held))
        held.clear()
        heading = _plain(heading)
        if heading:
            outline.enter(level, heading)
            top = top or heading

    for line in lines:
        if fence:
            held.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif (opening := _FENCE.match(line)) and not (opening[1][0] == "`" and "`" in opening[2]):
            fence = opening[1]
            held.append(line)
        elif heading := _HEADING.match(line):
            entered(len(heading[1]), _closed(heading[2]))
        elif held and (under := _UNDERLINE.match(line)) and held[-1].strip() and not _NO_PARAGRAPH.match(held[-1]):
            entered(1 if under[1] else 2, held.pop())
        else:
            held.append(line)
    if outline.path or any(held):
        collected.add(outline.path, None, "\n".join(held))
    collected.title = collected.title or top


def _text(content: bytes, collected: Collected) -> str:
    text, note = decoded(content)
    if note:
        collected.notes.append(note)
    return text


def _front(lines: list[str], collected: Collected) -> int:
    """How many lines at the beginning are front matter; what it says becomes metadata: `name: value`, lists joined."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    end = next((at for at, line in enumerate(lines[1:_MOST_FRONT], 1) if line.rstrip() in ("---", "...")), 0)
    if not end or not any(_FIELD.match(line) for line in lines[1:end]):
        return 0
    fields: dict[str, list[str]] = {}
    name = ""
    for line in lines[1:end]:
        found = _FIELD.match(line)
        if found:
            name, value = found[1].lower(), (found[2] or "").strip()
            if value[:1] == "[" and value[-1:] == "]":
                fields.setdefault(name, []).extend(_unquoted(item) for item in value[1:-1].split(","))
            elif value not in (">", "|", ""):
                fields.setdefault(name, []).append(_unquoted(value))
        elif name and line.strip() and not line.lstrip().startswith("#"):
            fields.setdefault(name, []).append(_unquoted(line.strip().removeprefix("- ")))
    for name, values in fields.items():
        collected.tell(name, ", ".join(values))
    collected.title = ", ".join(fields.get("title", []))
    return end + 1


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _plain(heading: str) -> str:
    """The words of a heading, without its marks."""
    return _MARKS.sub(lambda found: found[2] or found[4] or found[5] or "", heading[:1_000]).strip()


def _closed(heading: str) -> str:
    """The heading without the signs that may close it."""
    heading = heading.strip()
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else heading
