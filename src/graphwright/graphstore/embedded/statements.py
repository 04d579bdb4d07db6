"""What of a Cypher write is given to graphqlite, and in which form: as it stands, parts might be dropped in silence.

graphqlite 0.12 has a way of its own for many combinations of clauses, and some of them forget one: of `SET a.x = 1
DELETE r` the DELETE is not done, of `UNWIND split(...) AS x CREATE (:A {key: x})` nothing, and in `SET a += {x: $x}` or
`CREATE (:A {x: [b.y]})` the value is null. With a WITH in front of each change it goes a way that does all of them, and
what a WITH works out is right. So in front of each change a WITH hands on what is used later and works out the values,
which means the same. The rows of a RETURN behind a write are not to be trusted (nulls, another order, parts of the
write left out): what only reads after the last change is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graphwright.graphstore.cypher.scanning import Token, scan
from graphwright.graphstore.names import shown

_CHANGES = {"CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH"}
_READS = {"MATCH", "OPTIONAL", "UNWIND"}
_CLAUSES = _CHANGES | _READS | {"WITH", "RETURN", "UNION"}
_AFTER_ITEMS = {"WHERE", "ORDER", "SKIP", "LIMIT"}
_CONSTANTS = {"NULL", "TRUE", "FALSE"}
_NO_VARIABLES = _CONSTANTS | {"DISTINCT", "NOT", "CASE"}
_AGGREGATES = {"AVG", "COLLECT", "COUNT", "MAX", "MIN", "PERCENTILECONT", "PERCENTILEDISC", "STDEV", "STDEVP", "SUM"}

_OWN = "graphwright_"
"""How the names begin that are put in."""


def runnable(query: str) -> str:
    """The changes of a query that was parsed and writes. Raises QueryRefused for what cannot be put so."""
    tokens = [token for token in scan(query) if token.kind != "space" and token.text != ";"]
    begins = list(_begins(tokens))
    for begin in begins:
        if tokens[begin].word == "UNION":
            raise tokens[begin].refused("UNION joins queries that write", "Give them one after the other.")
    last = max(number for number, begin in enumerate(begins) if tokens[begin].word in _CHANGES)
    ends = [*begins[1:], len(tokens)][: last + 1]
    _refuse_late_deletes([tokens[begin] for begin in begins])
    changes = [tokens[begin].word for begin in begins if tokens[begin].word in _CHANGES]
    if changes == ["DELETE"]:
        # Alone it is done for all rows at once: the edges of a node may be deleted with it.
        return query[: tokens[ends[-1] - 1].start + len(tokens[ends[-1] - 1].text)]
    return _Rewriting(query, tokens[: ends[-1]]).text(list(zip(begins, ends, strict=False)))


def _refuse_late_deletes(clauses: Sequence[Token]) -> None:
    """What is matched after a change is not deleted, whatever stands between."""
    changed = read = False
    for clause in clauses:
        if clause.word in ("DELETE", "DETACH") and read:
            raise clause.refused("this DELETE is of what was read after a change", "Make it a statement of its own.")
        changed = changed or clause.word in _CHANGES
        read = read or (changed and clause.word in _READS)


@dataclass(slots=True)
class _Rewriting:
    """A query on its way; `bound` are the variables at the place that was reached, `paths` those that are paths."""

    query: str
    tokens: Sequence[Token]
    bound: dict[str, None] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    values: int = 0

    def text(self, clauses: Sequence[tuple[int, int]]) -> str:
        parts, before = [], ""
        for begin, end in clauses:
            word = self.tokens[begin].word
            if word in _CHANGES:
                parts += self._change(begin, end, before)
            else:
                parts.append(self._slice(begin, end))
            if word == "WITH":
                self.bound = _projected(self.tokens[begin + 1 : end], self.bound)
            else:
                self.bound |= _named(self.tokens, begin, end)
            if word == "MATCH" and end - begin > 2 and self.tokens[begin + 2].text == "=":
                self.paths.add(self.tokens[begin + 1].text)
            before = word
        return " ".join(parts)

    def _change(self, begin: int, end: int, before: str) -> list[str]:
        """A change, and the WITH in front of it."""
        own = {name for name in _named(self.tokens, begin, end) if name not in self.bound}
        worked_out: list[str] = []
        parts, done, rest = [], begin, list(self.tokens[end:])
        for first, after in _values(self.tokens, begin, end):
            value = self.tokens[first:after]
            if _is_plain(value) or not self._can_be_first(value, own):
                continue
            self.values += 1
            worked_out.append(f"{self._slice(first, after)} AS {_OWN}{self.values}")
            parts += [self._slice(done, first), f"{_OWN}{self.values}"]
            rest += self.tokens[done:first]
            done = after
        rest += self.tokens[done:end]
        parts.append(self._slice(done, end))
        if before in ("", "WITH") and not worked_out:
            return parts
        later = {token.text for token in rest}
        kept = [name for name in self.bound if name in later]
        for token in rest:
            if token.text in self.paths and token.text in kept:
                raise token.refused(
                    f"the path {shown(token.text)} is used after a change",
                    "Name what you need of it before: WITH a, b.",
                )
        return [f"WITH {', '.join([*kept, *worked_out]) or f'1 AS {_OWN}nothing'}", *parts]

    def _can_be_first(self, value: Sequence[Token], own: set[str]) -> bool:
        """Whether a value can be worked out before its clause. Raises QueryRefused for one that must, and cannot."""
        for before, token in pairwise([*value, value[-1]]):
            if token.text == "(" and before.word in _AGGREGATES:
                raise before.refused(f"{shown(before.text)} cannot stand in a change", "Put it into a WITH before.")
        used = next((token for token in value if token.text in own), None)
        if used is not None and value[-1].depth:
            raise used.refused(
                f"{shown(used.text)} is not there yet where it is used", "Set the property after: SET a.x = b.y."
            )
        # What is taken out of a parameter is worked out rightly where it stands, and nowhere else.
        return used is None and not (value[0].text == "$" and len(value) > 2 and value[2].text in (".", "["))

    def _slice(self, begin: int, end: int) -> str:
        if begin == end:
            return ""
        last = self.tokens[end - 1]
        return self.query[self.tokens[begin].start : last.start + len(last.text)]


def _values(tokens: Sequence[Token], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the values stand that a change gives to properties, as (first, after) places of tokens."""
    assigning = tokens[begin].word == "SET"
    number = begin + 1
    while number < end:
        token, before = tokens[number], tokens[number - 1]
        assigning = assigning or (token.word == "SET" and not token.depth)
        in_map = token.text == ":" and token.depth and before.depth == token.depth
        if in_map and before.kind in ("name", "quoted") and tokens[number - 2].text in ("{", ","):
            ends = ("}", ",")
        elif assigning and token.text == "=" and not token.depth and tokens[number - 2].text == ".":
            ends = (",", "ON")
        else:
            number += 1
            continue
        first = number = number + 1
        # A closing bracket counts as inside.
        while number < end and not (tokens[number].depth == token.depth and tokens[number].text.upper() in ends):
            number += 1
        yield first, number


def _is_plain(value: Sequence[Token]) -> bool:
    """Whether a value is a text, a number, a word such as true, or a variable."""
    if len(value) == 2 and value[0].text == "-":
        return value[1].kind == "number"
    return len(value) == 1 and value[0].kind in ("string", "number", "name", "quoted")


def _begins(tokens: Sequence[Token]) -> Iterator[int]:
    """Where the clauses begin; a MERGE goes on to the end of its ON CREATE and ON MATCH."""
    inside = 0
    for number, token in enumerate(tokens):
        if inside:
            inside -= 1
        elif token.depth or not _is_word(tokens, number):
            continue
        elif token.word == "ON":
            inside = 2
        elif token.word in _CLAUSES:
            inside = 1 if token.word in ("DETACH", "OPTIONAL") else 0
            yield number


def _is_word(tokens: Sequence[Token], number: int) -> bool:
    """Whether a name is a word of the language here, and neither a name nor a part of STARTS WITH."""
    before = tokens[number - 1] if number else None
    return before is None or not (before.text in (".", ":", "|", "$") or before.word in ("STARTS", "ENDS", "AS"))


def _named(tokens: Sequence[Token], begin: int, end: int) -> dict[str, None]:
    """The variables that a clause names, as they are written."""
    found: dict[str, None] = {}
    # What a condition names is its own.
    end = next((n for n in range(begin, end) if tokens[n].word == "WHERE" and not tokens[n].depth), end)
    for number in range(begin + 1, end):
        before, token = tokens[number - 1], tokens[number]
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        if token.kind not in ("name", "quoted") or after is None or after.text == "(" or after.word == "IN":
            continue
        is_path = after.text == "=" and before.word in ("MATCH", "CREATE", "MERGE")
        if before.text in ("(", "[") or before.word == "AS" or is_path:
            found[token.text] = None
    return {name: None for name in found if name.upper() not in _NO_VARIABLES}


def _projected(tokens: Sequence[Token], bound: dict[str, None]) -> dict[str, None]:
    """The variables that there are after a WITH with these tokens."""
    ends = [n for n, token in enumerate(tokens) if not token.depth and token.word in _AFTER_ITEMS]
    items = tokens[: ends[0]] if ends else tokens
    commas = [n for n, token in enumerate(items) if token.text == "," and not token.depth]
    found: dict[str, None] = {}
    for begin, end in pairwise([-1, *commas, len(items)]):
        item = [token for token in items[begin + 1 : end] if token.word != "DISTINCT"]
        if item and item[0].text == "*":
            found |= bound
        elif item and item[-1].kind in ("name", "quoted") and (len(item) == 1 or item[-2].word == "AS"):
            found[item[-1].text] = None
    return found
