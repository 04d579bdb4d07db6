"""The tokens of a Cypher text, with limits that are checked before parsing, and the words of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from string import ascii_letters, digits
from typing import Literal, TypeAlias
from unicodedata import category

from graphwright_graph._elements import quote
from graphwright_graph._errors import QueryRefused

_AGGREGATES = "count sum avg min max collect stdev stdevp percentilecont percentiledisc"
AGGREGATES = frozenset(_AGGREGATES.split())
"""Functions that make one value of many rows."""

_FUNCTIONS = """
    coalesce head last length size type labels keys properties startnode endnode nodes relationships
    tointeger tofloat tostring toboolean tointegerornull tofloatornull tostringornull tobooleanornull
    range reverse tail isempty
    abs ceil floor round sign sqrt exp log log10 e pi sin cos tan asin acos atan atan2 degrees radians
    tolower toupper trim ltrim rtrim replace split substring left right
    shortestpath allshortestpaths
"""
FUNCTIONS = frozenset(_FUNCTIONS.split()) | AGGREGATES
"""The allowed functions, in lower case. They depend only on the graph, not on randomness or time."""

_NO_TIME = "Dates and times are texts here, such as '2026-11-30', which compare in their order; give today as $today."
_NO_CHANCE = "What was previewed must be what is done: give such a value as a parameter."

FUNCTION_HINTS = {
    "id": "Nodes are known by their key: n.key.",
    "elementid": "Nodes are known by their key: n.key.",
    "exists": "Write n.name IS NOT NULL, or EXISTS { MATCH (n)-[:X]->() }.",
    "reduce": "Use sum() or collect() over UNWIND.",
    "filter": "Write [x IN list WHERE ...].",
    "extract": "Write [x IN list | ...].",
    **dict.fromkeys(("rand", "randomuuid", "timestamp"), _NO_CHANCE),
    **dict.fromkeys(("date", "datetime", "localdatetime", "time", "localtime", "duration", "now"), _NO_TIME),
}
"""The alternatives to other functions."""

CHANGES = frozenset({"CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH"})
READS = frozenset({"MATCH", "OPTIONAL", "UNWIND"})
CLAUSES = CHANGES | READS | {"WITH", "RETURN", "UNION"}
"""The words that begin a clause."""

SYMBOL_HINTS = {
    "~": "There are no patterns of text: use STARTS WITH, ENDS WITH, CONTAINS or IN.",
    "!=": "Unequal is written <>.",
    "!": "Not is written NOT.",
    "&&": "Write AND.",
    "&": "Write AND; several labels are written n:A:B.",
    "#": "A comment begins with //.",
    "\\": "Only strings hold backslashes.",
    **dict.fromkeys("?@", "A parameter is written $name."),
    **dict.fromkeys("“”‘’", "Strings are enclosed in straight quotes."),
}
"""The alternatives to symbols that Cypher does not have."""

_ONE_QUERY = "Give the query alone: one that reads, or one that writes. The store keeps indexes and constraints itself."
_REFUSED = ("EXPLAIN", "PROFILE", "USE", "SHOW", "DROP", "INDEX", "CONSTRAINT", "START", "FINISH", "UNIQUE", "SHORTEST")
_OTHER_LANGUAGES = {
    **dict.fromkeys(("INSERT", "UPDATE"), "Write CREATE, MERGE, or MATCH (n) SET n.name = value."),
    **dict.fromkeys(("SELECT", "FROM"), "Write MATCH (n:Label) WHERE ... RETURN n."),
    **dict.fromkeys(("GROUP", "HAVING"), "RETURN and WITH group by themselves: WITH n.status AS s, count(*) AS c ..."),
    **dict.fromkeys(("LIKE", "BETWEEN"), "Write STARTS WITH, ENDS WITH, CONTAINS, or 1 <= n.x <= 3."),
}

WORD_HINTS = {
    "LOAD": ("files are not read by a query", "Bring them in with: graphwright graph import FILE."),
    "FOREACH": ("FOREACH is not accepted", "Write UNWIND list AS x, and the clause after it."),
    "CALL": ("procedures and subqueries are not accepted", "Use MATCH, WITH and the functions of Cypher."),
    **{word: (f"{word} is not accepted", _ONE_QUERY) for word in _REFUSED},
    **{word: (f"{word} is not a keyword of Cypher", hint) for word, hint in _OTHER_LANGUAGES.items()},
    "EXISTS": ("this EXISTS does not fit", FUNCTION_HINTS["exists"]),
}
"""The message and hint for an error at one of these words."""

MOST_BYTES = 8 * 1024
"""The maximum size of a query in bytes of UTF-8: longer texts and literals can crash an engine that is written in C."""

MOST_NAME = 256
"""The maximum length of a name in characters, with or without backticks."""

MOST_NESTING = 64
"""The maximum nesting of brackets of any kind."""

Kind: TypeAlias = Literal["space", "string", "quoted", "number", "name", "sign"]
Refused: TypeAlias = Callable[[str, str], QueryRefused]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. `space` is any sequence of blanks and comments; `quoted` a name in backticks.

    `value` is a name without its backticks. `depth` counts the brackets around it.
    """

    kind: Kind
    text: str
    start: int
    line: int
    column: int
    depth: int = 0
    value: str = ""

    @property
    def word(self) -> str:
        """The text in capitals if it may be a word of the language, otherwise empty."""
        return self.text.upper() if self.kind == "name" else ""

    def refused(self, message: str, hint: str = "") -> QueryRefused:
        return QueryRefused(message, hint, self.line, self.column)


# Outside of strings, comments and backticks all text is ASCII: engines differ in what they accept as letters and
# blanks, and a full-width DELETE must not be a name to one reader and a word to another.
_PIECES = re.compile(
    r"""
      (?P<space> (?: [ \t\r\n]++ | //[^\n]*+ | /\*(?:[^*]|\*(?!/))*+\*/ )++ )
    | (?P<string> '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" )
    | (?P<quoted> `[^`]*+` )
    | (?P<number> (?:[0-9]++(?:\.[0-9]++)? | \.[0-9]++)(?:[eE][+-]?[0-9]++)? )
    | (?P<name> [A-Za-z_][A-Za-z0-9_]*+ )
    | (?P<sign> \.\. | \+= | <= | >= | <> | /(?!\*) | [=<>.,(){}\[\]+\-*%^:|$;] )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = frozenset("\\'\"bfnrt")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAME_SIGNS = ascii_letters + digits + "_"
_CLOSING = {")": "(", "]": "[", "}": "{"}


def tokenize(query: str) -> list[Token]:
    """Split a query into tokens, in order, without gaps. Raises QueryRefused."""
    if not isinstance(query, str):
        raise QueryRefused("The query is not a text.", "Give the query as a text.")
    # Neo4j replaces \\u.... before it searches the ends of comments and strings, and does not count backslashes.
    if "\\u" in query:
        place = query.index("\\u")
        line, column = query.count("\n", 0, place) + 1, place - query.rfind("\n", 0, place)
        raise QueryRefused("A backslash precedes u.", "Write the character itself, or a parameter.", line, column)
    size = len(query.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise QueryRefused(
            f"The query has {size:,} bytes.", f"At most {MOST_BYTES:,} are taken. Values belong in parameters: $name."
        )
    tokens = list(_tokens(query))
    if all(token.kind == "space" for token in tokens):
        raise QueryRefused("The query is empty.", "Write one, such as MATCH (n) RETURN n.")
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
            raise token.refused(f"{quote(token.text)} follows a number without a blank.", "Put a blank between them.")
        after_number = kind == "number"
        if token.text in ("(", "[", "{"):
            open_signs.append(token)
            if len(open_signs) > MOST_NESTING:
                raise token.refused("Brackets are nested too deeply.", f"At most {MOST_NESTING} are taken.")
        elif token.text in _CLOSING:
            if not open_signs or open_signs[-1].text != _CLOSING[token.text]:
                raise token.refused(f"{quote(token.text)} closes nothing.", "Look for the bracket that it belongs to.")
            open_signs.pop()
        yield token
        place = found.end()
        lines = token.text.count("\n")
        line += lines
        column = len(token.text) - token.text.rfind("\n") if lines else column + len(token.text)
    if open_signs:
        raise open_signs[-1].refused(f"{quote(open_signs[-1].text)} is not closed.", "Close it.")


def _value(kind: Kind, text: str, line: int, column: int) -> str:
    """The name in a token, or an empty text. Raises QueryRefused for a text that an engine might read otherwise."""

    def refused(message: str, hint: str) -> QueryRefused:
        return QueryRefused(message, hint, line, column)

    for character in text if not text.isascii() or not text.isprintable() else "":
        if _invisible(character, in_string=kind == "string"):
            raise refused(
                f"There is a character that cannot be seen: U+{ord(character):04X}.",
                "Take it out, or give the text as a parameter.",
            )
    if kind == "space":
        if "\r" in text.replace("\r\n", ""):
            raise refused("A line ends in a carriage return alone.", "End lines in a line feed.")
    elif kind == "string":
        for found in _ESCAPE.finditer(text[1:-1]):
            if found[1] not in _ESCAPES:
                known = "\\\\ \\' \\\" \\n \\t"
                raise refused(
                    f"{found[0]} cannot be written in a string.", f"These can: {known}. A parameter is better."
                )
    elif kind == "number":
        _check_number(text, refused)
    elif kind in ("name", "quoted"):
        name = text.strip("`")
        if len(name) > MOST_NAME:
            raise refused(f"A name has {len(name):,} characters.", f"At most {MOST_NAME} are taken.")
        if kind == "quoted" and (not name.strip() or "\\" in name):
            raise refused(f"{quote(text)} is not a name.", "A name in backticks has letters, digits, blanks and signs.")
        return name
    return ""


def _invisible(character: str, *, in_string: bool) -> bool:
    """Whether a reader and an engine may see different texts: control characters, surrogates, odd line ends."""
    kind = category(character)
    if kind in ("Cc", "Cs"):
        return character not in "\t\n\r"
    # Joiners are part of many scripts and of emoji; all other such characters only hide or reorder text.
    return kind in ("Cf", "Zl", "Zp", "Cn", "Co") and not (in_string and character in "\u200c\u200d\u2028\u2029")


def _check_number(text: str, refused: Refused) -> None:
    if text.isdecimal() and len(text) > 1 and text.startswith("0"):
        raise refused(f"{quote(text)} begins with 0.", "Leave the 0 out; some engines read it as octal.")
    if float(text) == float("inf") or (text.isdecimal() and int(text[:40]) >= 2**63):
        raise refused(f"{quote(text)} is too large.", "Whole numbers have 64 bits.")


def _unknown(query: str, place: int, line: int, column: int) -> QueryRefused:
    rest = query[place:]
    for opening, what in (("'", "string"), ('"', "string"), ("`", "name in backticks"), ("/*", "comment")):
        if rest.startswith(opening):
            return QueryRefused(f"A {what} is not closed.", f"It ends with {opening[::-1]}.", line, column)
    sign, hint = next(((sign, hint) for sign, hint in SYMBOL_HINTS.items() if rest.startswith(sign)), (rest[0], ""))
    if sign.isidentifier():
        begin = len(query[:place].rstrip(_NAME_SIGNS))
        word = "".join(takewhile(lambda c: f"_{c}".isidentifier(), query[begin:]))
        hint = f"A name with other letters than a to z needs backticks: `{word[:60]}`."
    return QueryRefused(f"{quote(sign)} has no meaning here.", hint, line, column)


def closing_bracket(tokens: Sequence[Token], at: int) -> int:
    """The place of the bracket that closes the bracket at a place."""
    depth = tokens[at].depth + 1
    return next(n for n in range(at + 1, len(tokens)) if tokens[n].text in _CLOSING and tokens[n].depth == depth)


def is_keyword(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a keyword here, and neither a name nor a part of STARTS WITH."""
    before = next((tokens[n] for n in range(at - 1, -1, -1) if tokens[n].kind != "space"), None)
    return before is None or not (before.text in (".", ":", "|", "$") or before.word in ("STARTS", "ENDS", "AS"))


@dataclass(frozen=True, slots=True)
class Parsed:
    """An accepted query: its kind, its columns and its names. Names are without backticks, each once, in order.

    `columns` are the names of the result's columns, `()` without RETURN. `writes` is true if any part of it may change
    the graph. `parameters` are the names after `$`.
    """

    writes: bool
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
