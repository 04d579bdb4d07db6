"""The parser of Cypher: the openCypher grammar (antlr4-cypher) over the tokens, the facts of a query, and refusals."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from graphwright.text.near_names import listed, nearest
from graphwright_graph._elements import quote
from graphwright_graph._errors import QueryRefused
from graphwright_graph.cypher._lexer import (
    CHANGES,
    CLAUSES,
    FUNCTION_HINTS,
    FUNCTIONS,
    WORD_HINTS,
    Parsed,
    Token,
    closing_bracket,
    is_keyword,
    tokenize,
)

PARSE_SECONDS = 5.0
"""The maximum processor time for a query, in seconds. The slowest eight kilobytes found so far take less than one."""

_MOST_STATES = 20_000

# The grammar's tables grow during use, and are shared.
_lock = threading.Lock()


class SyntaxMismatch(Exception):
    """The grammar does not accept a token; `at` is its index, or the number of tokens if the text ends too early."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class ParseClock:
    """The time limit for parsing one query."""

    def __init__(self) -> None:
        self._end = time.thread_time() + PARSE_SECONDS

    def check(self) -> None:
        if time.thread_time() > self._end:
            raise QueryRefused("The query takes too long to read.", "Simplify it, or split it into several queries.")


def parsed(query: str) -> Parsed:
    """Parse a query. It must be one query of Cypher 9; UNION and a `;` at its end are allowed.

    Raises QueryRefused, with line and column if they are known, for everything else: a syntax error, procedures,
    subqueries, files, indexes and constraints, several statements, unknown functions, and texts, names or brackets
    beyond the limits. Does not run anything.
    """
    tokens = tokenize(query)
    facts = _Facts(query, tokens)
    try:
        return facts.parsed()
    except RecursionError:
        raise QueryRefused(
            "The query is nested too deeply.", "Simplify it, or split it into several queries."
        ) from None


class _Facts:
    """The facts of a query, gathered from the trees of its parts."""

    def __init__(self, query: str, tokens: Sequence[Token]) -> None:
        self.query = query
        self.tokens = tokens
        self.writes = False
        self.labels: dict[str, None] = {}
        self.at = {token.start: token for token in tokens}

    def parsed(self) -> Parsed:
        clock = ParseClock()
        _refuse_several(self.tokens)
        branches = list(_split(self.tokens, "UNION"))
        columns = [self._branch(branch, clock) for branch in branches]
        for other in columns[1:]:
            if other != columns[0]:
                raise branches[1][0].refused(
                    "The parts of the UNION give different columns.",
                    f"All give the same ones: {listed(columns[0] or ())}.",
                )
        return Parsed(
            writes=self.writes,
            columns=columns[0] or (),
            labels=tuple(self.labels),
            parameters=tuple(
                dict.fromkeys(after.value for before, after in pairwise(self.tokens) if before.text == "$")
            ),
        )

    def _branch(self, tokens: Sequence[Token], clock: ParseClock) -> tuple[str, ...] | None:
        columns = None
        parts = _parts(tokens)
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            try:
                found = parse_tree(part, clock, complete=last)
            except SyntaxMismatch as misfit:
                after = [token for later in parts[number + 1 :] for token in later]
                raise syntax_error([*part, *after], misfit.at, self.query) from None
            columns = self._gather(found, own=last)
        return columns

    def _gather(self, root: Any, *, own: bool) -> tuple[str, ...] | None:
        """Gather the facts of a tree. Returns its columns if its RETURN is that of the query."""
        columns = None
        checks = {
            "SubqueryExistContext": self._check_exists,
            "InvocationNameContext": self._check_function,
            "ParameterContext": self._check_parameter,
        }
        for node in tree_nodes(root):
            kind = type(node).__name__
            if kind in checks:
                checks[kind](node)
            match kind:
                case "UpdatingStatementContext":
                    self.writes = True
                case "StandaloneCallContext" | "QueryCallStContext":
                    raise self._token(node).refused(*WORD_HINTS["CALL"])
                case "NodeLabelsContext":
                    self.labels.update(dict.fromkeys(self._token(name).value for name in node.name()))
                case "ReturnStContext" if own and not _in_exists(node):
                    columns = self._columns(node.projectionBody().projectionItems())
        return columns

    def _columns(self, items: Any) -> tuple[str, ...]:
        if items.MULT() is not None:
            raise self._token(items).refused("RETURN * is not accepted.", "Name the columns: RETURN a, b.")
        columns: list[str] = []
        for item in items.projectionItem():
            alias = item.symbol()
            name = self._token(alias).value if alias is not None else self._text(item.expression()).strip()
            if name in columns:
                raise self._token(item).refused(f"Two columns are called {quote(name)}.", "Rename one: ... AS name.")
            columns.append(name)
        return tuple(columns)

    def _check_exists(self, node: Any) -> None:
        if any(type(each).__name__ == "UpdatingStatementContext" for each in tree_nodes(node)):
            raise self._token(node).refused("EXISTS writes.", "Its braces contain a pattern to look for: MATCH ...")

    def _check_function(self, node: Any) -> None:
        name = "".join(self._text(node).split())
        if name.lower() not in FUNCTIONS:
            near = nearest(name.lower(), sorted(FUNCTIONS), most=1)
            hint = (
                f"Did you mean {near[0]}()?" if near else "The page The graph of the documentation lists the functions."
            )
            raise self._token(node).refused(
                f"The function {quote(name)} is not known here.", FUNCTION_HINTS.get(name.lower(), hint)
            )

    def _check_parameter(self, node: Any) -> None:
        text = self._text(node)
        if not text[1:].isidentifier():
            raise self._token(node).refused(
                f"{quote(text)} is not a parameter.", "It is written $name, without quotes."
            )

    def _token(self, node: Any) -> Token:
        return self.at[node.start.start]

    def _text(self, node: Any) -> str:
        return self.query[node.start.start : node.stop.stop + 1]


def tree_nodes(root: Any) -> Iterator[Any]:
    """The nodes of a tree, in the order of the text."""
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
                raise more.refused("Several statements are not accepted.", "Give them one after the other.")


def query_parts(tokens: Sequence[Token]) -> list[list[list[Token]]]:
    """The parts of each branch of a UNION, in the form that `parse_tree` takes."""
    return [_parts(branch) for branch in _split(tokens, "UNION")]


def _split(tokens: Sequence[Token], word: str) -> Iterator[list[Token]]:
    """The parts, each of which (except the first) begins with a clause of this word."""
    begin = 0
    for number, token in enumerate(tokens):
        if number and token.word == word and not token.depth and is_keyword(tokens, number):
            yield list(tokens[begin:number])
            begin = number
    yield list(tokens[begin:])


def _parts(branch: Sequence[Token]) -> list[list[Token]]:
    """Split a branch before each WITH, because the grammar allows only one; UNION, which it lacks, is removed."""
    words = [number for number, token in enumerate(branch) if token.kind != "space"]
    first = 0
    if words and branch[0].word == "UNION":
        first = words[1] if len(words) > 1 else len(branch)
        first += first < len(branch) and branch[first].word == "ALL"
    *parts, last = _split(branch[first:], "WITH")
    return [part for part in parts if any(token.kind != "space" for token in part)] + [last]


def parse_tree(tokens: Sequence[Token], clock: ParseClock, *, complete: bool) -> Any:
    """The tree of a query without UNION; without `complete`, of clauses that are followed by another part.

    Its places are the characters of the query. Raises SyntaxMismatch, and QueryRefused after the time limit.
    """
    with _lock:
        return _grammar().parse_tree(tokens, clock, complete)


@cache
def _grammar() -> Any:
    return _Grammar()


class _Grammar:
    """The generated parser. It is imported for the first query, because the import is slow."""

    def __init__(self) -> None:
        from antlr4 import CommonTokenStream, PredictionMode
        from antlr4.error.ErrorListener import ErrorListener
        from antlr4.ListTokenSource import ListTokenSource
        from antlr4.Token import CommonToken
        from antlr4_cypher import CypherParser

        class Listener(ErrorListener):  # type: ignore[misc]
            def syntaxError(self, recognizer: Any, symbol: Any, *_: Any) -> None:
                raise SyntaxMismatch(symbol.tokenIndex)

        class Timed(CommonTokenStream):  # type: ignore[misc]
            clock: ParseClock

            def consume(self) -> None:
                self.clock.check()
                super().consume()

        self._parser = CypherParser
        self._token, self._source, self._stream = CommonToken, ListTokenSource, Timed
        self._listener, self._mode = Listener(), PredictionMode.SLL
        literals = enumerate(CypherParser.literalNames)
        self._types = {name.strip("'"): number for number, name in literals if name != "<INVALID>"}
        self._space = (CypherParser.SP, " ")
        self._end = ((CypherParser.RETURN, "RETURN"), self._space, (CypherParser.Integer, "0"))
        self._forget()

    def _forget(self) -> None:
        from antlr4.dfa.DFA import DFA
        from antlr4.PredictionContext import PredictionContextCache

        decisions = enumerate(self._parser.atn.decisionToState)
        self._tables = [DFA(state, number) for number, state in decisions]
        self._contexts = PredictionContextCache()

    def parse_tree(self, tokens: Sequence[Token], clock: ParseClock, complete: bool) -> Any:
        from antlr4.atn.ParserATNSimulator import ParserATNSimulator

        made, places = [], []
        for place, text, kind in self._taken(tokens):
            made.append(self._made(kind, text, tokens[place].start))
            places.append(place)
        # The grammar accepts only complete queries: a part before WITH gets an added RETURN.
        made += [self._made(type, text, -1) for type, text in (() if complete else self._end)]
        made.append(self._made(self._parser.EOF, "", -1))
        stream = self._stream(self._source(made))
        stream.clock = clock
        parser = self._parser(stream)
        parser._interp = ParserATNSimulator(parser, parser.atn, self._tables, self._contexts)
        # Full contexts take quadratic time for nested calls, and accept nothing more.
        parser._interp.predictionMode = self._mode
        parser.removeErrorListeners()
        parser.addErrorListener(self._listener)
        try:
            return parser.script()
        except SyntaxMismatch as misfit:
            raise SyntaxMismatch(places[misfit.at] if misfit.at < len(places) else len(tokens)) from None
        finally:
            if sum(len(table.states) for table in self._tables) > _MOST_STATES:
                self._forget()

    def _taken(self, tokens: Sequence[Token]) -> Iterator[tuple[int, str, int]]:
        """The tokens for the grammar: the place of the original token, text and type."""
        ends = _open_ends(tokens)
        for place, token in enumerate(tokens):
            if place in ends:
                # The grammar requires a RETURN in an EXISTS of clauses; Cypher does not.
                blank = () if tokens[place - 1].kind == "space" else (self._space,)
                yield from ((place, text, type) for type, text in (*blank, *self._end))
            yield place, token.text, self._type(token)

    def _made(self, type: int, text: str, start: int) -> Any:
        token = self._token(type=type, start=start, stop=start + len(text) - 1)
        token.text = text
        return token

    def _type(self, token: Token) -> int:
        parser = self._parser
        match token.kind:
            case "space":
                return int(parser.SP)
            case "string":
                return int(parser.CHAR_LITERAL if token.text.startswith("'") else parser.STRING_LITERAL)
            case "quoted":
                return int(parser.ESC_LITERAL)
            case "number":
                # Bounds of `*1..3` are whole numbers to the grammar; elsewhere it accepts both.
                return int(parser.Integer if token.text.isdecimal() else parser.DIGIT)
        return self._types.get(token.text.upper(), int(parser.ID))


def _open_ends(tokens: Sequence[Token]) -> set[int]:
    """The places of the brackets that close an EXISTS of clauses without RETURN."""
    found = set()
    words = [place for place, token in enumerate(tokens) if token.kind != "space"]
    for word, opening, first in zip(words, words[1:], words[2:], strict=False):
        if tokens[word].word == "EXISTS" and tokens[opening].text == "{" and tokens[first].word in CLAUSES:
            end = closing_bracket(tokens, opening)
            inside = tokens[first:end]
            if not any(token.word == "RETURN" and token.depth == tokens[first].depth for token in inside):
                found.add(end)
    return found


def is_word(text: str) -> bool:
    """Whether a name is a word of the language, which needs backticks to be a name."""
    return text.isalpha() and text.upper() in _grammar()._types


def syntax_error(tokens: Sequence[Token], at: int, query: str) -> QueryRefused:
    """The refusal of a query with a syntax error at token `at`, which may be one after the last."""
    place = next((n for n in range(at, len(tokens)) if tokens[n].kind != "space"), len(tokens))
    before = [token for token in tokens[:place] if token.kind != "space"]
    if place == len(tokens):
        line, column = query.count("\n") + 1, len(query) - query.rfind("\n")
        return QueryRefused("The query ends too early.", "A query that reads ends in RETURN.", line, column)
    token = tokens[place]
    if token.word in WORD_HINTS:
        return token.refused(*WORD_HINTS[token.word])
    for each in reversed(before[-2:]):
        if each.word in WORD_HINTS and (each.word in ("EXISTS", "CALL") or not is_word(each.text)):
            return each.refused(*WORD_HINTS[each.word])
    for each, after in pairwise([*before, token]):
        if after.text == "(" and each.text.lower() in FUNCTION_HINTS:
            hint = FUNCTION_HINTS[each.text.lower()]
            return each.refused(f"The function {quote(each.text)} is not known here.", hint)
    return token.refused(f"{quote(token.text)} does not fit here.", _hint(before, token))


def _hint(before: Sequence[Token], token: Token) -> str:
    last = before[-1] if before else None
    if last is None:
        return "A query begins with MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN, CREATE or MERGE."
    signs = (
        (
            token.text == "{" and last.kind in ("name", "quoted"),
            f"Properties are returned one by one: RETURN {last.text}.name.",
        ),
        (token.text == "=" and last.text == "=", "Equal is written with one sign: =."),
        (token.word == "WHERE" and token.depth, "WHERE follows the pattern: MATCH (n) WHERE n.name = ..."),
    )
    for holds, hint in signs:
        if holds:
            return hint
    if token.word in CLAUSES and not token.depth:
        if any(each.word == "RETURN" and not each.depth for each in before):
            return "RETURN is the last clause of a query."
        if any(each.word in CHANGES and not each.depth for each in before):
            return "Put WITH between clauses that write and clauses that read."
        return "Check the clause before it."
    for each in (token, last):
        if is_word(each.text):
            return f"{quote(each.text)} is a word of the language; as a name it needs backticks."
    return ""
