"""Rewrites accepted Cypher for each engine, so that the result is correct; refuses queries that it cannot rewrite.

Patterns, for graphqlite 0.12: it ignores the properties of a pattern, `{key: 'a'}`, in OPTIONAL MATCH, in a condition
or in a comprehension. They are moved to WHERE, and a pattern that is a condition becomes an EXISTS. An EXISTS needs a
new node, and a MATCH of several patterns needs names for all nodes.

Sums, for graphqlite: it returns null for a `sum` without values, where Cypher returns 0.

Changes, for graphqlite: many combinations of clauses omit one (of `SET a.x = 1 DELETE r` the DELETE), and values such
as in `SET a += {x: $x}` become null. With a WITH before each change, which passes on later variables and computes the
values, all changes are done. The rows of a RETURN after a write are wrong, so clauses that only read at the end are
removed.

For Neo4j, patterns are changed so that they do not match the store's own nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise

from graphwright_graph._elements import KEY, quote
from graphwright_graph.cypher._lexer import (
    AGGREGATES,
    CHANGES,
    CLAUSES,
    READS,
    Token,
    closing_bracket,
    is_keyword,
    tokenize,
)

_OWN = "graphwright_"
"""The prefix of inserted variables."""

_PARTS = CLAUSES - {"UNION"}

# After any other name, a bracket contains the arguments of a function.
_BEFORE_PATTERNS = {"WHERE", "AND", "OR", "XOR", "NOT", "WHEN", "THEN", "ELSE", "IN", "RETURN", "WITH", "BY", "CASE"}

_AFTER_ITEMS = {"WHERE", "ORDER", "SKIP", "LIMIT"}
_NO_VARIABLES = {"NULL", "TRUE", "FALSE", "DISTINCT", "NOT", "CASE"}

_OF_PATHS = ("-", "<", ">", "[", "(")


@lru_cache(maxsize=100)
def rewrite_patterns(query: str) -> str:
    """Rewrite a query so that graphqlite evaluates patterns and sums as Cypher does; most queries are unchanged.

    Raises QueryRefused.
    """
    patterns = _Patterns(query)
    text = patterns.clauses(0, len(patterns.tokens))
    return text if patterns.changed else query


class _Query:
    """A query to rewrite. Places are indexes of tokens; the end of a part is exclusive."""

    def __init__(self, query: str, tokens: Sequence[Token]) -> None:
        self.query, self.tokens = query, tokens

    def text(self, at: int) -> str:
        return _text(self.tokens, at)

    def slice(self, begin: int, end: int) -> str:
        if begin >= end:
            return ""
        last = self.tokens[end - 1]
        return self.query[self.tokens[begin].start : last.start + len(last.text)]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A rewritten pattern: its text, its properties as conditions, its nodes and its number of edges.

    `path`: one of the edges has variable length (`*`).
    """

    text: str
    conditions: Sequence[str]
    nodes: Sequence[str]
    edges: int
    path: bool

    def where(self, *conditions: str) -> str:
        """The pattern with all its conditions and these."""
        every = [*self.conditions, *filter(None, conditions)]
        if len(every) > 1:
            every = [f"({condition})" for condition in every]
        return f"{self.text} WHERE {' AND '.join(every)}" if every else self.text


class _Patterns(_Query):
    """Rewrites the patterns of a query."""

    def __init__(self, query: str) -> None:
        super().__init__(query, [token for token in tokenize(query) if token.kind != "space"])
        self._numbers = count(1)
        self._columns: dict[tuple[str, ...], str] = {}
        self.changed = False

    def clauses(self, begin: int, end: int) -> str:
        """Rewrite all clauses of a query, or of an EXISTS."""
        parts, at = [], begin
        while at < end:
            word = self.tokens[at].word
            first = at + (2 if word in ("OPTIONAL", "DETACH") else 1)
            after = self._next(first, end, _PARTS)
            if word == "MATCH":
                parts.append(self._match(first, after))
            elif word == "OPTIONAL":
                parts.append(self._optional(first, after))
            elif word in ("CREATE", "MERGE"):
                parts.append(self.slice(at, after))
            elif word in ("RETURN", "WITH"):
                if word == "WITH":
                    self._refuse_comprehensions(at, after)
                parts.append(self._projection(at, after))
            else:
                parts.append(self._expression(at, after))
            at = after
        return " ".join(parts)

    def _projection(self, begin: int, end: int) -> str:
        """Rewrite a WITH or RETURN. In its ORDER BY, a repeated sum becomes the name of its column, for the engine."""
        self._refuse_reused_names(begin, end)
        order = self._next(begin + 1, end, {"ORDER"})
        if not any(map(self._is_sum, range(order, end))):
            return self._expression(begin, end)
        first = begin + 1 + (self.tokens[begin + 1].word == "DISTINCT")
        commas = [at for at in self._beside(begin, order) if self.text(at) == ","]
        items, names = [], {}
        for at, after in zip([first, *(comma + 1 for comma in commas)], [*commas, order], strict=True):
            item = self._expression(at, after)
            if self._is_sum(at):
                call = self._call(at)
                if at + len(call) == after:
                    names[call] = self._fresh()
                    item += f" AS {names[call]}"
                elif self.tokens[at + len(call)].word == "AS":
                    names[call] = self.text(after - 1)
            items.append(item)
        self._columns = names
        rest = self._expression(order, end)
        self._columns = {}
        return f"{self.slice(begin, first)} {', '.join(items)} {rest}"

    def _refuse_reused_names(self, begin: int, end: int) -> None:
        """Refuse a grouping column with the name of a node or edge, because the engine would group by wrong values."""
        words = range(begin, end)
        if not any(self.text(at).lower() in AGGREGATES and self.text(at + 1) == "(" for at in words):
            return
        in_patterns = {self.text(at) for at in range(1, begin) if self.text(at - 1) in ("(", "[")}
        for at in words:
            if self.tokens[at].word == "AS" and self.text(at + 1) in in_patterns - {self.text(at - 1)}:
                name = self.text(at + 1)
                raise self.tokens[at + 1].refused(
                    f"The column {name} of a result with aggregates has the name of a node or edge.",
                    f"Give the column another name, such as {name}_value.",
                )

    def _match(self, first: int, end: int) -> str:
        """Rewrite the patterns and the condition of a MATCH."""
        where = self._next(first, end, {"WHERE"})
        commas = [at for at in self._beside(first, where) if self.text(at) == ","]
        patterns = [
            self._pattern(one + 1, other, naming=bool(commas)).text
            for one, other in zip([first - 1, *commas], [*commas, where], strict=True)
        ]
        condition = self._expression(where + 1, end)
        return f"MATCH {', '.join(patterns)}{f' WHERE {condition}' if condition else ''}"

    def _optional(self, first: int, end: int) -> str:
        """Rewrite an OPTIONAL MATCH: if its condition is false, all of its variables must be null."""
        where = self._next(first, end, {"WHERE"})
        comma = next((at for at in self._beside(first, where) if self.text(at) == ","), None)
        if comma is not None:
            raise self.tokens[comma].refused("An OPTIONAL MATCH has one pattern.", "Write an OPTIONAL MATCH for each.")
        conditional = where < end or any(self.text(at) == "{" for at in range(first, where))
        pattern = self._pattern(first, where, lifting=True, naming=conditional)
        if self.text(first + 1) == "=" and not pattern.path:
            raise self.tokens[first].refused(
                "The path of an OPTIONAL MATCH has no name.",
                "Name its nodes and its edge: OPTIONAL MATCH (a)-[r]->(b).",
            )
        if not conditional:
            return f"OPTIONAL MATCH {self.slice(first, end)}"
        if pattern.edges > 1:
            raise self.tokens[first].refused(
                "An OPTIONAL MATCH over several edges cannot have conditions.",
                "Write an OPTIONAL MATCH for each edge, with WITH and WHERE after them.",
            )
        self.changed = True
        # Every node has a key: with this condition the engine treats the others as parts of the pattern.
        there = [f"{node}.{KEY} IS NOT NULL" for node in pattern.nodes]
        return f"OPTIONAL MATCH {pattern.where(self._expression(where + 1, end), *there)}"

    def _refuse_comprehensions(self, begin: int, end: int) -> None:
        """Refuse a pattern in a list, which breaks the engine in a WITH that has a condition."""
        if self._next(begin, end, {"WHERE"}) == end:
            return
        for at in range(begin, end):
            if self.text(at) == "[" and self._compared(at) is not None:
                raise self.tokens[at].refused(
                    "A list made of a pattern is not accepted in a WITH that has a condition.",
                    "Put a WITH between them: WITH n, [...] AS list WITH n, list WHERE size(list) > 0.",
                )

    def _expression(self, begin: int, end: int) -> str:
        """Rewrite everything except the patterns of a clause; it may contain patterns."""
        parts: list[str] = []
        at = kept = begin
        while at < end:
            found = self._inner(at)
            if found is None:
                at += 1
                continue
            text, after = found
            parts += [self.slice(kept, at), text]
            at = kept = after
        return " ".join(part for part in (*parts, self.slice(kept, end)) if part)

    def _inner(self, at: int) -> tuple[str, int] | None:
        """The rewritten text of an EXISTS, a sum, a comprehension or a pattern at a place, and the place after it."""
        token = self.tokens[at]
        if self._is_sum(at):
            self.changed = True
            end = closing_bracket(self.tokens, at + 1)
            total = f"coalesce({self.slice(at, at + 2)}{self._expression(at + 2, end)}), 0)"
            return self._columns.get(self._call(at), total), end + 1
        if token.word == "EXISTS" and self.text(at + 1) == "{":
            return self._exists(at), closing_bracket(self.tokens, at + 1) + 1
        if token.text == "[":
            return self._comprehension(at)
        if token.text == "(" and (at == 0 or self.tokens[at - 1].word in _BEFORE_PATTERNS or self._is_sign(at - 1)):
            after = self._chain(at)
            if after is not None and any(self.text(n) == "{" for n in range(at, after)):
                return self._is_there(at, after, ""), after
        return None

    def _exists(self, at: int) -> str:
        begin, end = at + 2, closing_bracket(self.tokens, at + 1)
        first = begin + (self.tokens[begin].word == "MATCH")
        after = self._chain(first)
        if after == end:
            return self._is_there(first, end, "")
        if after is not None and self.tokens[after].word == "WHERE" and self._next(after, end, _PARTS) == end:
            return self._is_there(first, after, self._expression(after + 1, end))
        self.changed = True
        inner = self.clauses(begin, end) if self.tokens[begin].word in _PARTS else self._match(begin, end)
        return f"EXISTS {{ {inner} }}"

    def _is_there(self, begin: int, end: int, condition: str) -> str:
        """The condition that a match of this pattern exists for which `condition` is true."""
        self.changed = True
        pattern = self._pattern(begin, end)
        if pattern.path and not (condition or any(self.text(at) == "{" for at in range(begin, end))):
            return f"({pattern.text})"
        conditions = [condition]
        if all(self._is_bound(node, begin) for node in pattern.nodes):
            # The engine requires a new node: the last one gets another name, and must be equal.
            fresh, bound = self._fresh(), pattern.nodes[-1]
            last = max(at for at in self._beside(begin, end) if self.text(at) == "(")
            text = f"{self.slice(begin, last)}({fresh} {self.slice(last + 2, end)}"
            pattern = _Pattern(text, (), (), pattern.edges, path=False)
            conditions.append(f"{fresh} = {bound}")
        return f"EXISTS {{ MATCH {pattern.where(*conditions)} }}"

    def _comprehension(self, at: int) -> tuple[str, int] | None:
        """Rewrite a list made of a pattern."""
        places = self._compared(at)
        if places is None:
            return None
        first, after = places
        end = closing_bracket(self.tokens, at)
        bar = next(n for n in self._beside(first, end) if self.text(n) == "|")
        pattern = self._pattern(first, after, lifting=True)
        inner = next((n for n in range(after, end) if self.text(n) == "[" and self._compared(n) is not None), None)
        if inner is not None:
            raise self.tokens[inner].refused(
                "A list made of a pattern is nested in another one.", "Make one in a WITH, and the other after it."
            )
        condition = self._expression(after + 1, bar)
        return f"{self.slice(at, first)} {pattern.where(condition)} | {self._expression(bar + 1, end)}]", end + 1

    def _compared(self, at: int) -> tuple[int, int] | None:
        """The begin and end of a comprehension's pattern, if its bracket is at this place; otherwise None."""
        first = at + 1
        after = self._chain(first)
        if after is None or not (self.text(after) == "|" or self.tokens[after].word == "WHERE"):
            return None
        return first, after

    def _pattern(self, begin: int, end: int, *, lifting: bool = False, naming: bool = False) -> _Pattern:
        """Rewrite a pattern; with `lifting` its properties become conditions, with `naming` each node gets a name."""
        parts: list[str] = []
        conditions: list[str] = []
        nodes: list[str] = []
        edges, path, at = 0, False, begin
        while at < end:
            # The bracket of shortestPath contains nodes, and is not a node.
            if self.text(at) not in ("(", "[") or self.text(at + 1) == "(":
                parts.append(self.text(at))
                edges += self.text(at) == "-" and self.text(at - 1) in (")", "<")
                at += 1
                continue
            is_node, last = self.text(at) == "(", closing_bracket(self.tokens, at)
            text, name, found = self._element(at, last, lifting=lifting, naming=naming and is_node)
            parts.append(text)
            conditions += found
            nodes += [name] if is_node else []
            path = path or (not is_node and any(self.text(n) == "*" for n in range(at, last)))
            at = last + 1
        return _Pattern("".join(parts), conditions, nodes, edges, path)

    def _element(self, at: int, last: int, *, lifting: bool, naming: bool) -> tuple[str, str, list[str]]:
        """A node or an edge of a pattern: its text, its name, and the conditions made of its properties."""
        opened = next((n for n in range(at + 1, last) if self.text(n) == "{"), last)
        lifted = lifting and opened < last
        named = self.tokens[at + 1].kind in ("name", "quoted")
        name = self.text(at + 1) if named else ""
        if not (lifted or (naming and not named)):
            return self.slice(at, last + 1), name, []
        self.changed = True
        name = name or self._fresh()
        rest = self.slice(at + 1 + named, opened if lifted else last)
        text = f"{self.text(at)}{name} {rest}{self.text(last)}"
        if not lifted:
            return text, name, []
        of_path = any(self.text(n) == "*" for n in range(at + 1, opened))
        each = self._fresh() if of_path else name
        found = [f"{each}.{key} = ({value})" for key, value in self._pairs(opened)]
        return text, name, [f"all({each} IN {name} WHERE {' AND '.join(found)})"] if of_path and found else found

    def _pairs(self, opened: int) -> Iterator[tuple[str, str]]:
        """The names and values of a map."""
        at, end = opened + 1, closing_bracket(self.tokens, opened)
        while at < end:
            after = next((n for n in self._beside(at, end) if self.text(n) == ","), end)
            yield self.text(at), self._expression(at + 2, after)
            at = after + 1

    def _chain(self, at: int) -> int | None:
        """The place after a pattern of at least one edge that begins at this bracket, or None."""
        if self.text(at) != "(":
            return None
        after, edges = closing_bracket(self.tokens, at) + 1, 0
        while (node := self._edge(after)) is not None:
            after, edges = closing_bracket(self.tokens, node) + 1, edges + 1
        return after if edges else None

    def _edge(self, at: int) -> int | None:
        """The place of the node after an edge that begins here."""
        at += self.text(at) == "<"
        if self.text(at) != "-":
            return None
        at += 1
        if self.text(at) == "[":
            at = closing_bracket(self.tokens, at) + 1
        if self.text(at) != "-":
            return None
        at += 1
        at += self.text(at) == ">"
        return at if self.text(at) == "(" else None

    def _is_bound(self, name: str, at: int) -> bool:
        """Whether a variable of this name is bound before a place, without inner scopes."""
        n = 0
        while name and n < at:
            own = self.text(n) == "{" and self.tokens[n - 1].word == "EXISTS"
            if (own or (self.text(n) == "[" and self._compared(n) is not None)) and closing_bracket(
                self.tokens, n
            ) < at:
                n = closing_bracket(self.tokens, n)
            elif self.text(n) == name and (self.text(n - 1) in ("(", "[") or self.tokens[n - 1].word == "AS"):
                return True
            n += 1
        return False

    def _is_sum(self, at: int) -> bool:
        return self.tokens[at].word == "SUM" and self.text(at + 1) == "("

    def _call(self, at: int) -> tuple[str, ...]:
        """The tokens of a call whose name is at a place."""
        return tuple(token.text for token in self.tokens[at : closing_bracket(self.tokens, at + 1) + 1])

    def _is_sign(self, at: int) -> bool:
        return self.tokens[at].kind == "sign" and self.text(at) not in (")", "]", "}")

    def _fresh(self) -> str:
        return f"{_OWN}p{next(self._numbers)}"

    def _next(self, begin: int, end: int, words: Set[str]) -> int:
        """The place of the first keyword among `words` at the depth of `begin`, or `end`."""
        return next(
            (n for n in self._beside(begin, end) if self.tokens[n].word in words and is_keyword(self.tokens, n)), end
        )

    def _beside(self, begin: int, end: int) -> Iterator[int]:
        """The places in the same brackets as `begin`. Closing brackets count as inside."""
        return (at for at in range(begin, end) if self.tokens[at].depth == self.tokens[begin].depth)


@lru_cache(maxsize=100)
def rewrite_changes(query: str) -> str:
    """Rewrite a query that writes, so that graphqlite does all its changes. Raises QueryRefused if it cannot."""
    tokens = [token for token in tokenize(query) if token.kind != "space" and token.text != ";"]
    begins = list(_begins(tokens))
    for begin in begins:
        if tokens[begin].word == "UNION":
            raise tokens[begin].refused("UNION joins queries that write.", "Give them one after the other.")
    last = max(number for number, begin in enumerate(begins) if tokens[begin].word in CHANGES)
    ends = [*begins[1:], len(tokens)][: last + 1]
    _refuse_late_deletes([tokens[begin] for begin in begins])
    changes = [tokens[begin].word for begin in begins if tokens[begin].word in CHANGES]
    if changes == ["DELETE"]:
        # As the only change it is done for all rows at once: the edges of a node may be deleted with it.
        return query[: tokens[ends[-1] - 1].start + len(tokens[ends[-1] - 1].text)]
    return _Changes(query, tokens[: ends[-1]]).rewritten(list(zip(begins, ends, strict=False)))


def _refuse_late_deletes(clauses: Sequence[Token]) -> None:
    """Refuse a DELETE of elements matched after a change, which graphqlite does not delete."""
    changed = read = False
    for clause in clauses:
        if clause.word in ("DELETE", "DETACH") and read:
            raise clause.refused("This DELETE is of what was read after a change.", "Make it a separate statement.")
        changed = changed or clause.word in CHANGES
        read = read or (changed and clause.word in READS)


class _Changes(_Query):
    """Rewrites the changes of a query.

    `bound` are the variables at the current place, `paths` those that are paths.
    """

    def __init__(self, query: str, tokens: Sequence[Token]) -> None:
        super().__init__(query, tokens)
        self.bound: dict[str, None] = {}
        self.paths: set[str] = set()
        self.values = 0

    def rewritten(self, clauses: Sequence[tuple[int, int]]) -> str:
        parts, before = [], ""
        for begin, end in clauses:
            word = self.tokens[begin].word
            if word in CHANGES:
                parts += self._change(begin, end, before)
            else:
                parts.append(self.slice(begin, end))
            if word == "WITH":
                self.bound = _projected(self.tokens[begin + 1 : end], self.bound)
            else:
                self.bound |= _named(self.tokens, begin, end)
            if word == "MATCH" and end - begin > 2 and self.tokens[begin + 2].text == "=":
                self.paths.add(self.tokens[begin + 1].text)
            before = word
        return " ".join(parts)

    def _change(self, begin: int, end: int, before: str) -> list[str]:
        """A change, and the WITH before it."""
        own = {name for name in _named(self.tokens, begin, end) if name not in self.bound}
        worked_out: list[str] = []
        parts, done, rest = [], begin, list(self.tokens[end:])
        for first, after in _values(self.tokens, begin, end):
            value = self.tokens[first:after]
            if _is_plain(value) or not self._can_be_first(value, own):
                continue
            self.values += 1
            worked_out.append(f"{self.slice(first, after)} AS {_OWN}{self.values}")
            parts += [self.slice(done, first), f"{_OWN}{self.values}"]
            rest += self.tokens[done:first]
            done = after
        rest += self.tokens[done:end]
        parts.append(self.slice(done, end))
        if before in ("", "WITH") and not worked_out:
            return parts
        later = {token.text for token in rest}
        kept = [name for name in self.bound if name in later]
        for token in rest:
            if token.text in self.paths and token.text in kept:
                raise token.refused(
                    f"The path {quote(token.text)} is used after a change.",
                    "Name what you need of it before: WITH a, b.",
                )
        return [f"WITH {', '.join([*kept, *worked_out]) or f'1 AS {_OWN}nothing'}", *parts]

    def _can_be_first(self, value: Sequence[Token], own: set[str]) -> bool:
        """Whether a value can be computed before its clause. Raises QueryRefused if it must be, and cannot."""
        for before, token in pairwise([*value, value[-1]]):
            if token.text == "(" and before.text.lower() in AGGREGATES:
                raise before.refused(f"{quote(before.text)} is not accepted in a change.", "Put it into a WITH before.")
        used = next((token for token in value if token.text in own), None)
        # An access to a parameter is evaluated correctly only in its place.
        return used is None and not (value[0].text == "$" and len(value) > 2 and value[2].text in (".", "["))


def _values(tokens: Sequence[Token], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The values that a change assigns to properties, as (first, after) indexes of tokens."""
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
    """The places at which clauses begin; ON CREATE and ON MATCH belong to their MERGE."""
    inside = 0
    for number, token in enumerate(tokens):
        if inside:
            inside -= 1
        elif token.depth or not is_keyword(tokens, number):
            continue
        elif token.word == "ON":
            inside = 2
        elif token.word in CLAUSES:
            inside = 1 if token.word in ("DETACH", "OPTIONAL") else 0
            yield number


def _named(tokens: Sequence[Token], begin: int, end: int) -> dict[str, None]:
    """The variables that a clause names, as written."""
    found: dict[str, None] = {}
    # The variables of a condition are local to it.
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
    """The variables that exist after a WITH with these tokens."""
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


def exclude_labels(query: str, labels: str) -> str:
    """A query for Neo4j that does not match nodes with one of these labels, `:!(A|B)`. Raises QueryRefused.

    Such nodes have no edges, so only a node that is alone in its pattern, or begins a path of possible length 0, can
    match one. If it has no label, the exclusion is added.
    """
    tokens = [token for token in tokenize(query) if token.kind != "space"]
    places: list[int] = []
    for at, token in enumerate(tokens):
        if token.word in ("MATCH", "MERGE") and not (at and tokens[at - 1].text in (".", ":")):
            for place in _bare_nodes(tokens, at + 1):
                if token.word == "MERGE":
                    raise token.refused("A node that is merged needs a label.", "Write MERGE (n:Label {key: $key}).")
                places.append(place)
    for place in reversed(places):
        query = query[:place] + labels + query[place:]
    return query


def _bare_nodes(tokens: Sequence[Token], at: int) -> Iterator[int]:
    """The places in the text at which a label can be added to nodes without one, in the pattern after a token."""
    while True:
        if _text(tokens, at + 1) == "=":
            at += 2
        if _text(tokens, at) != "(":
            return
        first, at = at, closing_bracket(tokens, at) + 1
        path = at
        while _text(tokens, at) in _OF_PATHS:
            at = closing_bracket(tokens, at) + 1 if tokens[at].text in ("(", "[", "{") else at + 1
        alone = at == path or any(token.text == "*" for token in tokens[path:at])
        inner = first + 1
        if tokens[inner].kind in ("name", "quoted"):
            inner += 1
        place = tokens[inner - 1].start + len(tokens[inner - 1].text)
        if alone and tokens[inner].text != ":":
            yield place
        if _text(tokens, at) != ",":
            return
        at += 1


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""
