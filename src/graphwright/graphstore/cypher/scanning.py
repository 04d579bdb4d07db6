"""A Cypher text as tokens, under limits that hold before any parser sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from string import ascii_letters, digits
from typing import Literal, TypeAlias
from unicodedata import category

from graphwright.graphstore.cypher.words import SIGN_HINTS
from graphwright.graphstore.errors import QueryRefused
from graphwright.graphstore.names import shown

MOST_BYTES = 8 * 1024
"""Of a query, as UTF-8: longer texts and literals can crash an engine that is written in C."""

MOST_NAME = 256
"""Characters of a name, with or without backticks."""

MOST_NESTING = 64
"""How deep brackets of any kind may stand in each other."""

Kind: TypeAlias = Literal["space", "string", "quoted", "number", "name", "sign"]
Refused: TypeAlias = Callable[[str, str], QueryRefused]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. `space` is any run of blanks and comments; `quoted` a name in backticks.

    `value` is what a string, a number or a name stands for. `depth` counts the brackets around it.
    """

    kind: Kind
    text: str
    start: int
    line: int
    column: int
    depth: int = 0
    value: str | int | float = ""

    @property
    def word(self) -> str:
        """The text in capitals where it may be a word of the language, else nothing."""
        return self.text.upper() if self.kind == "name" else ""

    def refused(self, message: str, hint: str = "") -> QueryRefused:
        return QueryRefused(message, hint, self.line, self.column)


# Only ASCII stands outside of strings, comments and backticks: engines differ in what they take for letters and
# blanks, and a full-width DELETE must not be a name to one reader and a word to the other.
_PIECES = re.compile(
    r"""
      (?P<space> (?: [ \t\r\n]++ | //[^\n]*+ | /\*(?:[^*]|\*(?!/))*+\*/ )++ )
    | (?P<string> '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" )
    | (?P<quoted> `[^`]*+` )
    | (?P<number> 0[xX][0-9a-fA-F]++ | 0o[0-7]++ | (?:[0-9]++(?:\.[0-9]++)? | \.[0-9]++)(?:[eE][+-]?[0-9]++)? )
    | (?P<name> [A-Za-z_][A-Za-z0-9_]*+ )
    | (?P<sign> \.\. | \+= | <= | >= | <> | /(?!\*) | [=<>.,(){}\[\]+\-*%^:|$;] )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NAME_SIGNS = ascii_letters + digits + "_"
_CLOSING = {")": "(", "]": "[", "}": "{"}


def scan(query: str) -> list[Token]:
    """The tokens of a query, in order, without gaps. Raises QueryRefused."""
    if not isinstance(query, str):
        raise QueryRefused("the query is not a text", "Give the query as a text.")
    size = len(query.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise QueryRefused(
            f"the query has {size:,} bytes", f"At most {MOST_BYTES:,} are taken. Values belong into parameters: $name."
        )
    tokens = list(_tokens(query))
    if all(token.kind == "space" for token in tokens):
        raise QueryRefused("the query is empty", "Write one, such as MATCH (n) RETURN n.")
    return tokens


def _tokens(query: str) -> Iterator[Token]:
    place, line, column = 0, 1, 1
    open_signs: list[Token] = []
    after_number = False
    while place < len(query):
        found = _PIECES.match(query, place)
        if found is None:
            raise _unknown(query, place, line, column)
        kind: Kind = found.lastgroup  # type: ignore[assignment]
        token = Token(kind, found[0], place, line, column, len(open_signs), _value(kind, found[0], line, column))
        if kind == "name" and after_number:
            raise token.refused(f"{shown(token.text)} follows a number without a blank", "Put a blank between them.")
        after_number = kind == "number"
        if token.text in ("(", "[", "{"):
            open_signs.append(token)
            if len(open_signs) > MOST_NESTING:
                raise token.refused("brackets are nested too deeply", f"At most {MOST_NESTING} are taken.")
        elif token.text in _CLOSING:
            if not open_signs or open_signs[-1].text != _CLOSING[token.text]:
                raise token.refused(f"{shown(token.text)} closes nothing", "Look for the bracket that it belongs to.")
            open_signs.pop()
        yield token
        place = found.end()
        lines = token.text.count("\n")
        line += lines
        column = len(token.text) - token.text.rfind("\n") if lines else column + len(token.text)
    if open_signs:
        raise open_signs[-1].refused(f"{shown(open_signs[-1].text)} is not closed", "Close it.")


def _value(kind: Kind, text: str, line: int, column: int) -> str | int | float:
    def refused(message: str, hint: str) -> QueryRefused:
        return QueryRefused(message, hint, line, column)

    for character in text if not text.isascii() or not text.isprintable() else "":
        if _unseen(character, in_string=kind == "string"):
            raise refused(
                f"there is a character that cannot be seen: U+{ord(character):04X}",
                "Take it out, or give the text as a parameter.",
            )
    # Neo4j replaces \\u.... before it looks for the ends of comments and strings, and does not count backslashes.
    if "\\u" in text if kind == "space" else "\\\\u" in text:
        raise refused("a backslash stands in front of u", "Take it out, or give the text as a parameter.")
    if kind == "space":
        if "\r" in text.replace("\r\n", ""):
            raise refused("a line ends in a carriage return alone", "End lines in a line feed.")
    elif kind == "string":
        return _ESCAPE.sub(lambda found: _unescaped(found[1], refused), text[1:-1])
    elif kind == "number":
        return _number(text, refused)
    elif kind in ("name", "quoted"):
        name = text.strip("`")
        if len(name) > MOST_NAME:
            raise refused(f"a name has {len(name):,} characters", f"At most {MOST_NAME} are taken.")
        if kind == "quoted" and (not name.strip() or "\\" in name):
            raise refused(f"{shown(text)} is no name", "Between backticks stand letters, digits, blanks and signs.")
        return name
    return ""


def _unseen(character: str, *, in_string: bool) -> bool:
    """Whether a reader may see something else than an engine: control characters, half characters, odd line ends."""
    kind = category(character)
    if kind in ("Cc", "Cs"):
        return character not in "\t\n\r"
    # Joiners are a part of many scripts and of emoji; everything else only hides, or turns round, what stands there.
    return kind in ("Cf", "Zl", "Zp", "Cn", "Co") and not (in_string and character in "\u200c\u200d\u2028\u2029")


def _unescaped(escape: str, refused: Refused) -> str:
    if escape.startswith("u") and len(escape) == 5:
        character = chr(int(escape[1:], 16))
        # Some engines replace these before they look for the end of the string.
        if character.isalnum():
            return character
    elif escape in _ESCAPES:
        return _ESCAPES[escape]
    known = "\\\\ \\' \\\" \\n \\t"
    raise refused(f"\\{escape[:5]} cannot be written in a string", f"What can: {known}. Better, give a parameter.")


def _number(text: str, refused: Refused) -> int | float:
    if text.startswith(("0x", "0X", "0o")):
        value: int | float = int(text[2:], 8 if text[1] == "o" else 16)
    elif text.isdecimal():
        if len(text) > 1 and text.startswith("0"):
            raise refused(f"{shown(text)} begins with 0", "Leave the 0 out; some engines read it as octal.")
        value = int(text[:40])
    else:
        value = float(text)
    if value >= 2**63 if isinstance(value, int) else value == float("inf"):
        raise refused(f"{shown(text)} is too large", "Whole numbers have 64 bits.")
    return value


def _unknown(query: str, place: int, line: int, column: int) -> QueryRefused:
    rest = query[place:]
    for opening, what in (("'", "string"), ('"', "string"), ("`", "name in backticks"), ("/*", "comment")):
        if rest.startswith(opening):
            return QueryRefused(f"a {what} is not closed", f"It ends with {opening[::-1]}.", line, column)
    sign, hint = next(((sign, hint) for sign, hint in SIGN_HINTS.items() if rest.startswith(sign)), (rest[0], ""))
    if sign.isidentifier():
        begin = len(query[:place].rstrip(_NAME_SIGNS))
        word = "".join(takewhile(lambda c: f"_{c}".isidentifier(), query[begin:]))
        hint = f"A name with other letters than a to z stands in backticks: `{word[:60]}`."
    return QueryRefused(f"{shown(sign)} has no meaning here", hint, line, column)
