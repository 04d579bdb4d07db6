"""Patterns in a form in which graphqlite takes all of them: as they are written, it forgets parts of some in silence.

graphqlite 0.12 does not look at the properties of a pattern, `{key: 'a'}`, that stands in OPTIONAL MATCH, in a
condition or in a comprehension, and gives rows that do not match. In OPTIONAL MATCH and in comprehensions they are told
behind WHERE instead, and a pattern that is a condition becomes an EXISTS, where they count. In an EXISTS it wants a
node that is new, and in a MATCH of several patterns names for all nodes. What cannot be put right is refused, and
another way is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from graphwright.graphstore.cypher.scanning import Token, scan
from graphwright.graphstore.elements import KEY

_CLOSING = (")", "]", "}")

_OWN = "graphwright_p"
"""How the names begin that are put in."""

# Behind any other name a bracket holds the arguments of a function.
_BEFORE_PATTERNS = {"WHERE", "AND", "OR", "XOR", "NOT", "WHEN", "THEN", "ELSE", "IN", "RETURN", "WITH", "BY", "CASE"}

_CLAUSES = {"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH"}


def whole(query: str) -> str:
    """A query that was parsed, so that nothing of its patterns is forgotten; most queries as they are.

    Raises QueryRefused.
    """
    tokens = [token for token in scan(query) if token.kind != "space"]
    rewriting = _Rewriting(query, tokens)
    text = rewriting.clauses(0, len(tokens))
    return text if rewriting.changed else query


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern on its way: its text, the conditions that its properties come to, its nodes, how many edges it has, and
    whether one of them stands for a whole path (`*`).
    """

    text: str
    conditions: Sequence[str]
    nodes: Sequence[str]
    edges: int
    path: bool

    def where(self, *conditions: str) -> str:
        """The pattern with all its conditions, and more."""
        every = [*self.conditions, *filter(None, conditions)]
        if len(every) > 1:
            every = [f"({condition})" for condition in every]
        return f"{self.text} WHERE {' AND '.join(every)}" if every else self.text


class _Rewriting:
    """A query on its way. Places are numbers of tokens; what begins and ends somewhere ends before the second one."""

    def __init__(self, query: str, tokens: Sequence[Token]) -> None:
        self._query, self._tokens = query, tokens
        self._numbers = count(1)
        self.changed = False

    def clauses(self, begin: int, end: int) -> str:
        """All clauses of a query, or of what stands in an EXISTS."""
        parts, at = [], begin
        while at < end:
            word = self._tokens[at].word
            first = at + (2 if word in ("OPTIONAL", "DETACH") else 1)
            after = self._next(first, end, _CLAUSES)
            if word == "MATCH":
                parts.append(self._match("MATCH", first, after))
            elif word == "OPTIONAL":
                parts.append(self._optional(first, after))
            elif word in ("CREATE", "MERGE"):
                parts.append(self._slice(at, after))
            else:
                if word == "WITH":
                    self._refuse_comprehensions(at, after)
                parts.append(self._expression(at, after))
            at = after
        return " ".join(parts)

    def _match(self, head: str, first: int, end: int) -> str:
        """The patterns and the condition of a MATCH."""
        where = self._next(first, end, {"WHERE"})
        commas = [at for at in self._beside(first, where) if self._text(at) == ","]
        patterns = [
            self._pattern(one + 1, other, naming=bool(commas)).text
            for one, other in zip([first - 1, *commas], [*commas, where], strict=True)
        ]
        condition = self._expression(where + 1, end)
        return f"{head} {', '.join(patterns)}{f' WHERE {condition}' if condition else ''}"

    def _optional(self, first: int, end: int) -> str:
        """An OPTIONAL MATCH: where its condition does not hold, all of it has to be null."""
        where = self._next(first, end, {"WHERE"})
        comma = next((at for at in self._beside(first, where) if self._text(at) == ","), None)
        if comma is not None:
            raise self._tokens[comma].refused("an OPTIONAL MATCH has one pattern", "Write an OPTIONAL MATCH for each.")
        conditional = where < end or any(self._text(at) == "{" for at in range(first, where))
        pattern = self._pattern(first, where, lifting=True, naming=conditional)
        if self._text(first + 1) == "=" and not pattern.path:
            raise self._tokens[first].refused(
                "the path of an OPTIONAL MATCH has no name", "Name its nodes and its edge: OPTIONAL MATCH (a)-[r]->(b)."
            )
        if not conditional:
            return f"OPTIONAL MATCH {self._slice(first, end)}"
        if pattern.edges > 1:
            raise self._tokens[first].refused(
                "an OPTIONAL MATCH over several edges takes no conditions",
                "Write an OPTIONAL MATCH for each edge, with WITH and WHERE behind them.",
            )
        self.changed = True
        # Every node has a key: this tells the engine of each that it belongs to the condition.
        there = [f"{node}.{KEY} IS NOT NULL" for node in pattern.nodes]
        return f"OPTIONAL MATCH {pattern.where(self._expression(where + 1, end), *there)}"

    def _refuse_comprehensions(self, begin: int, end: int) -> None:
        """A pattern in a list breaks the engine in a WITH that has a condition."""
        if self._next(begin, end, {"WHERE"}) == end:
            return
        for at in range(begin, end):
            if self._text(at) == "[" and self._compared(at) is not None:
                raise self._tokens[at].refused(
                    "a list made of a pattern cannot stand in a WITH that has a condition",
                    "Put a WITH between them: WITH n, [...] AS list WITH n, list WHERE size(list) > 0.",
                )

    def _expression(self, begin: int, end: int) -> str:
        """What is no pattern of a clause; patterns may stand in it."""
        parts: list[str] = []
        at = kept = begin
        while at < end:
            found = self._inner(at)
            if found is None:
                at += 1
                continue
            text, after = found
            parts += [self._slice(kept, at), text]
            at = kept = after
        return " ".join(part for part in (*parts, self._slice(kept, end)) if part)

    def _inner(self, at: int) -> tuple[str, int] | None:
        """What stands in an expression and has to be told in another way, and the place after it."""
        token = self._tokens[at]
        if token.word == "EXISTS" and self._text(at + 1) == "{":
            return self._exists(at), self._closing(at + 1) + 1
        if token.text == "[":
            return self._comprehension(at)
        if token.text == "(" and (at == 0 or self._tokens[at - 1].word in _BEFORE_PATTERNS or self._is_sign(at - 1)):
            after = self._chain(at)
            if after is not None and any(self._text(n) == "{" for n in range(at, after)):
                return self._is_there(at, after, ""), after
        return None

    def _exists(self, at: int) -> str:
        begin, end = at + 2, self._closing(at + 1)
        first = begin + (self._tokens[begin].word == "MATCH")
        after = self._chain(first)
        if after == end:
            return self._is_there(first, end, "")
        if after is not None and self._tokens[after].word == "WHERE" and self._next(after, end, _CLAUSES) == end:
            return self._is_there(first, after, self._expression(after + 1, end))
        self.changed = True
        inner = self.clauses(begin, end) if self._tokens[begin].word in _CLAUSES else self._match("MATCH", begin, end)
        return f"EXISTS {{ {inner} }}"

    def _is_there(self, begin: int, end: int, condition: str) -> str:
        """That there is something of this pattern, for which a condition holds."""
        self.changed = True
        pattern = self._pattern(begin, end)
        if pattern.path:
            if condition or any(self._text(at) == "{" for at in range(begin, end)):
                raise self._tokens[begin].refused(
                    "a path of any length (*) is looked for with a condition",
                    "MATCH the path, with the condition in its WHERE.",
                )
            return f"({pattern.text})"
        conditions = [condition]
        if all(self._is_bound(node, begin) for node in pattern.nodes):
            # The engine wants a node that is new: the last one gets another name, and must be the same.
            fresh, bound = self._fresh(), pattern.nodes[-1]
            last = max(at for at in self._beside(begin, end) if self._text(at) == "(")
            text = f"{self._slice(begin, last)}({fresh} {self._slice(last + 2, end)}"
            pattern = _Pattern(text, (), (), pattern.edges, path=False)
            conditions.append(f"{fresh} = {bound}")
        return f"EXISTS {{ MATCH {pattern.where(*conditions)} }}"

    def _comprehension(self, at: int) -> tuple[str, int] | None:
        """A list made of a pattern."""
        places = self._compared(at)
        if places is None:
            return None
        first, after = places
        end = self._closing(at)
        bar = next(n for n in self._beside(first, end) if self._text(n) == "|")
        pattern = self._pattern(first, after, lifting=True)
        if pattern.edges > 1:
            raise self._tokens[at].refused(
                "a list is made of a pattern with several edges",
                "MATCH it and collect: MATCH (a)-->(b)-->(c) WITH a, collect(c.key) AS keys.",
            )
        inner = next((n for n in range(after, end) if self._text(n) == "[" and self._compared(n) is not None), None)
        if inner is not None:
            raise self._tokens[inner].refused(
                "a list made of a pattern stands in another one", "Make one in a WITH, and the other behind it."
            )
        condition = self._expression(after + 1, bar)
        return f"{self._slice(at, first)} {pattern.where(condition)} | {self._expression(bar + 1, end)}]", end + 1

    def _compared(self, at: int) -> tuple[int, int] | None:
        """Where the pattern of a comprehension begins and ends whose bracket is here; None where none is."""
        first = at + 3 if self._text(at + 2) == "=" else at + 1
        after = self._chain(first)
        if after is None or not (self._text(after) == "|" or self._tokens[after].word == "WHERE"):
            return None
        return first, after

    def _pattern(self, begin: int, end: int, *, lifting: bool = False, naming: bool = False) -> _Pattern:
        """A pattern; with `lifting` its properties are conditions, with `naming` each node has a name."""
        parts: list[str] = []
        conditions: list[str] = []
        nodes: list[str] = []
        edges, path, at = 0, False, begin
        while at < end:
            # The bracket of shortestPath holds nodes, and is none.
            if self._text(at) not in ("(", "[") or self._text(at + 1) == "(":
                parts.append(self._text(at))
                edges += self._text(at) == "-" and self._text(at - 1) in (")", "<")
                at += 1
                continue
            is_node, closing = self._text(at) == "(", self._closing(at)
            text, name, found = self._element(at, closing, lifting=lifting, naming=naming and is_node)
            parts.append(text)
            conditions += found
            nodes += [name] if is_node else []
            path = path or (not is_node and any(self._text(n) == "*" for n in range(at, closing)))
            at = closing + 1
        return _Pattern("".join(parts), conditions, nodes, edges, path)

    def _element(self, at: int, closing: int, *, lifting: bool, naming: bool) -> tuple[str, str, list[str]]:
        """A node or an edge of a pattern: its text, its name, and the conditions that its properties come to."""
        opened = next((n for n in range(at + 1, closing) if self._text(n) == "{"), closing)
        lifted = lifting and opened < closing
        named = self._tokens[at + 1].kind in ("name", "quoted")
        name = self._text(at + 1) if named else ""
        if not (lifted or (naming and not named)):
            return self._slice(at, closing + 1), name, []
        self.changed = True
        name = name or self._fresh()
        rest = self._slice(at + 1 + named, opened if lifted else closing)
        text = f"{self._text(at)}{name} {rest}{self._text(closing)}"
        if not lifted:
            return text, name, []
        of_path = any(self._text(n) == "*" for n in range(at + 1, opened))
        each = self._fresh() if of_path else name
        found = [f"{each}.{key} = ({value})" for key, value in self._pairs(opened)]
        return text, name, [f"all({each} IN {name} WHERE {' AND '.join(found)})"] if of_path and found else found

    def _pairs(self, opened: int) -> Iterator[tuple[str, str]]:
        """The names and values of a map."""
        at, end = opened + 1, self._closing(opened)
        while at < end:
            after = next((n for n in self._beside(at, end) if self._text(n) == ","), end)
            yield self._text(at), self._expression(at + 2, after)
            at = after + 1

    def _chain(self, at: int) -> int | None:
        """The place after a pattern of at least one edge that begins at a bracket; None where none does."""
        if self._text(at) != "(":
            return None
        after, edges = self._closing(at) + 1, 0
        while (node := self._edge(after)) is not None:
            after, edges = self._closing(node) + 1, edges + 1
        return after if edges else None

    def _edge(self, at: int) -> int | None:
        """The place of the node behind an edge that begins here."""
        at += self._text(at) == "<"
        if self._text(at) != "-":
            return None
        at += 1
        if self._text(at) == "[":
            at = self._closing(at) + 1
        if self._text(at) != "-":
            return None
        at += 1
        at += self._text(at) == ">"
        return at if self._text(at) == "(" else None

    def _is_bound(self, name: str, at: int) -> bool:
        """Whether something has this name before a place, outside of what has names of its own."""
        n = 0
        while name and n < at:
            own = self._text(n) == "{" and self._tokens[n - 1].word == "EXISTS"
            if (own or (self._text(n) == "[" and self._compared(n) is not None)) and self._closing(n) < at:
                n = self._closing(n)
            elif self._text(n) == name and (self._text(n - 1) in ("(", "[") or self._tokens[n - 1].word == "AS"):
                return True
            n += 1
        return False

    def _is_sign(self, at: int) -> bool:
        return self._tokens[at].kind == "sign" and self._text(at) not in _CLOSING

    def _fresh(self) -> str:
        return f"{_OWN}{next(self._numbers)}"

    def _next(self, begin: int, end: int, words: set[str]) -> int:
        """The first of these words beside the beginning that is a word of the language."""
        return next(
            (at for at in self._beside(begin, end) if self._tokens[at].word in words and self._is_word(at)), end
        )

    def _is_word(self, at: int) -> bool:
        before = self._tokens[at - 1] if at else None
        return before is None or not (before.text in (".", ":", "|", "$") or before.word in ("STARTS", "ENDS", "AS"))

    def _beside(self, begin: int, end: int) -> Iterator[int]:
        """The places that stand in the same brackets as the beginning; closing ones count as inside."""
        return (at for at in range(begin, end) if self._tokens[at].depth == self._tokens[begin].depth)

    def _closing(self, at: int) -> int:
        """The place of the bracket that closes the one here."""
        depth = self._tokens[at].depth + 1
        places = range(at + 1, len(self._tokens))
        return next(n for n in places if self._text(n) in _CLOSING and self._tokens[n].depth == depth)

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _slice(self, begin: int, end: int) -> str:
        if begin >= end:
            return ""
        last = self._tokens[end - 1]
        return self._query[self._tokens[begin].start : last.start + len(last.text)]
