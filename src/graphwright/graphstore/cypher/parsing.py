"""From the text of a query to what is known of it; whatever is not understood is refused, with its place and a way."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from graphwright.flow.names import listed
from graphwright.graphstore.cypher.grammar import Clock, Misfit, tree
from graphwright.graphstore.cypher.misfits import explained
from graphwright.graphstore.cypher.parsed import Parsed
from graphwright.graphstore.cypher.scanning import Token, scan
from graphwright.graphstore.cypher.words import AGGREGATES, FUNCTION_HINTS, FUNCTIONS, WORD_HINTS
from graphwright.graphstore.errors import QueryRefused
from graphwright.graphstore.names import shown


def parse(query: str) -> Parsed:
    """What a query does and names. It is one query of Cypher 9; UNION is allowed, and a `;` at its end.

    Raises QueryRefused, with line and column where they are known, for everything else: what does not fit the
    grammar, procedures, subqueries, files, indexes and constraints, several statements, functions that are not
    known, and texts, names or brackets beyond the limits. Never runs anything.
    """
    tokens = scan(query)
    facts = _Facts(query, tokens)
    try:
        return facts.parsed()
    except RecursionError:
        raise QueryRefused("the query is nested too deeply", "Make it simpler, or several queries of it.") from None


class _Facts:
    """What is gathered from the parts of a query."""

    def __init__(self, query: str, tokens: Sequence[Token]) -> None:
        self.query = query
        self.tokens = tokens
        self.writes = self.deletes = False
        self.undetermined: QueryRefused | None = None
        self.labels: dict[str, None] = {}
        self.types: dict[str, None] = {}
        self.properties: dict[str, None] = {}
        self.at = {token.start: token for token in tokens}

    def parsed(self) -> Parsed:
        clock = Clock()
        _refuse_several(self.tokens)
        branches = list(_branches(self.tokens))
        if len(branches) > 1:
            for branch in branches:
                if all(token.kind == "space" or token.word in ("UNION", "ALL") for token in branch):
                    union = next(token for token in self.tokens if token.word == "UNION")
                    raise union.refused("UNION joins two queries", "Write a query on both sides of it.")
        columns = [self._branch(branch, clock) for branch in branches]
        for other in columns[1:]:
            if other != columns[0]:
                raise branches[1][0].refused(
                    "the parts of the UNION give different columns",
                    f"All give the same ones: {listed(columns[0] or ())}.",
                )
        if self.writes and self.undetermined is not None:
            raise self.undetermined
        first = columns[0]
        return Parsed(
            writes=self.writes,
            deletes=self.deletes,
            returns=first is not None,
            columns=first or (),
            labels=tuple(self.labels),
            types=tuple(self.types),
            properties=tuple(self.properties),
            strings=_each(token.value for token in self.tokens if token.kind == "string"),
            numbers=_each(token.value for token in self.tokens if token.kind == "number"),
            parameters=_each(after.value for before, after in pairwise(self.tokens) if before.text == "$"),
        )

    def _branch(self, tokens: Sequence[Token], clock: Clock) -> tuple[str, ...] | None:
        columns = None
        parts = list(_parts(tokens))
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            try:
                found = tree(part, clock, complete=last)
            except Misfit as misfit:
                after = [token for later in parts[number + 1 :] for token in later]
                raise explained([*part, *after], misfit.at, self.query) from None
            columns = self._gather(found, own=last)
        return columns

    def _gather(self, root: Any, *, own: bool) -> tuple[str, ...] | None:
        """Take what a tree says; gives its columns when the RETURN in it is the query's own."""
        columns = None
        checks = {
            "SubqueryExistContext": self._check_exists,
            "WithStContext": self._check_order,
            "InvocationNameContext": self._check_function,
            "ParameterContext": self._check_parameter,
        }
        for node in _nodes(root):
            kind = type(node).__name__
            if kind in checks:
                checks[kind](node)
            match kind:
                case "UpdatingStatementContext":
                    self.writes = True
                case "DeleteStContext":
                    self.deletes = True
                case "StandaloneCallContext" | "QueryCallStContext":
                    raise self._token(node).refused(*WORD_HINTS["CALL"])
                case "NodeLabelsContext":
                    self.labels.update(self._names(node.name()))
                case "RelationshipTypesContext":
                    self.types.update(self._names(node.name()))
                case "PropertyExpressionContext":
                    self.properties.update(self._names(node.name()))
                case "PropertiesContext" | "SetItemContext":
                    pairs = (pair for pair in _nodes(node) if type(pair).__name__ == "MapPairContext")
                    self.properties.update(self._names(pair.name() for pair in pairs))
                case "ReturnStContext" if own and not _in_exists(node):
                    columns = self._columns(node.projectionBody().projectionItems())
        return columns

    def _columns(self, items: Any) -> tuple[str, ...]:
        if items.MULT() is not None:
            raise self._token(items).refused("RETURN * is not accepted", "Name what is wanted: RETURN a, b.")
        columns: list[str] = []
        for item in items.projectionItem():
            alias = item.symbol()
            name = self._name(alias) if alias is not None else self._text(item.expression()).strip()
            if name in columns:
                raise self._token(item).refused(f"two columns are called {shown(name)}", "Rename one: ... AS name.")
            columns.append(name)
        return tuple(columns)

    def _check_order(self, node: Any) -> None:
        """Which rows LIMIT and SKIP leave to a write has to be certain: no two rows may be equal in their order."""
        body = node.projectionBody()
        cut = body.limitSt() or body.skipSt()
        if cut is None or self.undetermined is not None:
            return
        order = body.orderSt()
        ordered = {self._plain(item.expression()) for item in (order.orderItem() if order else ())}
        loose = [item for item in body.projectionItems().projectionItem() if not self._is_ordered(item, ordered)]
        if loose or body.projectionItems().MULT() is not None:
            self.undetermined = self._token(cut).refused(
                f"which rows this {self._token(cut).text} leaves to a write is not certain",
                "Order them by what no two rows share, for nodes by their keys: WITH a, b ORDER BY ..., a.key, b.key.",
            )

    def _is_ordered(self, item: Any, ordered: Container[str]) -> bool:
        """Whether rows that are equal in the order are equal in this item, too."""
        name, text = self._plain(item.symbol() or item.expression()), self._plain(item.expression())
        atoms = (node for node in _nodes(item.expression()) if type(node).__name__ == "AtomContext")
        used = [self._plain(atom.symbol()) for atom in atoms if atom.symbol() is not None]
        called = (node for node in _nodes(item.expression()) if type(node).__name__ == "InvocationNameContext")
        if any(self._plain(node).lower() in AGGREGATES for node in called) or "count(*)" in text.lower():
            # It follows from the others.
            return True
        return (
            name in ordered
            or text in ordered
            or f"{name}.key" in ordered
            or all(each in ordered or f"{each}.key" in ordered for each in used)
        )

    def _plain(self, node: Any) -> str:
        """The text without blanks and backticks."""
        return "".join(self._text(node).replace("`", "").split())

    def _check_exists(self, node: Any) -> None:
        if any(type(each).__name__ == "UpdatingStatementContext" for each in _nodes(node)):
            raise self._token(node).refused("EXISTS writes", "Between its braces stands what is looked for: MATCH ...")

    def _check_function(self, node: Any) -> None:
        name = "".join(self._text(node).split())
        if name.lower() not in FUNCTIONS:
            raise self._token(node).refused(
                f"the function {shown(name)} is not known here",
                FUNCTION_HINTS.get(name.lower(), "See the list of functions in docs/graph.md."),
            )

    def _check_parameter(self, node: Any) -> None:
        text = self._text(node)
        if not text[1:].isidentifier():
            raise self._token(node).refused(f"{shown(text)} is no parameter", "It is written $name, without quotes.")

    def _names(self, nodes: Iterable[Any]) -> dict[str, None]:
        return dict.fromkeys(self._name(node) for node in nodes)

    def _name(self, node: Any) -> str:
        return str(self._token(node).value)

    def _token(self, node: Any) -> Token:
        return self.at[node.start.start]

    def _text(self, node: Any) -> str:
        return self.query[node.start.start : node.stop.stop + 1]


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(getattr(node, "children", None) or ())


def _in_exists(node: Any) -> bool:
    while node is not None and type(node).__name__ != "SubqueryExistContext":
        node = node.parentCtx
    return node is not None


def _refuse_several(tokens: Sequence[Token]) -> None:
    for number, token in enumerate(tokens):
        if token.text == ";":
            more = next((later for later in tokens[number + 1 :] if later.kind != "space"), None)
            if more is not None:
                raise more.refused("several statements are not accepted", "Give them one after the other.")


def _branches(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The queries that UNION joins: the grammar, which should know it, does not."""
    branch: list[Token] = []
    for number, token in enumerate(tokens):
        if token.word == "UNION" and _is_clause(tokens, number):
            yield branch
            branch = [token]
        else:
            branch.append(token)
    yield branch


def _parts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between one WITH and the next: the grammar takes a single one."""
    part: list[Token] = _without_union(tokens)
    while True:
        after = next((n for n, t in enumerate(part) if n and t.word == "WITH" and _is_clause(part, n)), len(part))
        if any(token.kind != "space" for token in part[:after]) or after == len(part):
            yield part[:after]
        if after == len(part):
            return
        part = part[after:]


def _without_union(tokens: Sequence[Token]) -> list[Token]:
    rest = list(tokens)
    if rest and rest[0].word == "UNION":
        del rest[0]
        if len(rest) > 1 and rest[1].word == "ALL":
            del rest[:2]
    return rest


def _is_clause(tokens: Sequence[Token], number: int) -> bool:
    """Whether the word begins a clause, and is no name and no part of STARTS WITH."""
    before = next((token for token in reversed(tokens[:number]) if token.kind != "space"), None)
    if tokens[number].depth or before is None:
        return not tokens[number].depth
    return before.text not in (".", ":", "|", "$") and before.word not in ("STARTS", "ENDS")


def _each(values: Iterable[Any]) -> tuple[Any, ...]:
    # 1, 1.0 and true are equal in Python, and not the same here.
    return tuple({(type(value), value): value for value in values}.values())
