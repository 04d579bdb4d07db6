"""The grammar of openCypher (antlr4-cypher) over our tokens: a tree, or the place where the text does not fit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from graphwright.graphstore.cypher.scanning import Token
from graphwright.graphstore.cypher.words import CLAUSES
from graphwright.graphstore.errors import QueryRefused

PARSE_SECONDS = 5.0
"""Of the processor, for a whole query; eight kilobytes of the worst text found so far take less than one."""

_MOST_STATES = 20_000

# The grammar's tables grow as they are used, and are shared.
_lock = threading.Lock()


class Misfit(Exception):
    """The grammar does not accept a token; `at` is its number, or the number of tokens when the text ends too early."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Clock:
    """The time that reading one query may take."""

    def __init__(self) -> None:
        self._end = time.thread_time() + PARSE_SECONDS

    def check(self) -> None:
        if time.thread_time() > self._end:
            raise QueryRefused("the query takes too long to read", "Make it simpler, or several queries of it.")


def tree(tokens: Sequence[Token], clock: Clock, *, complete: bool) -> Any:
    """The tree of a query without UNION; without `complete`, that of clauses which another part follows.

    Its places are the characters of the query. Raises Misfit, and QueryRefused when it takes too long.
    """
    with _lock:
        return _grammar().tree(tokens, clock, complete)


@cache
def _grammar() -> Any:
    return _Grammar()


class _Grammar:
    """The generated parser, imported when the first query comes: that takes longer than most programs want to wait."""

    def __init__(self) -> None:
        from antlr4 import CommonTokenStream, PredictionMode
        from antlr4.error.ErrorListener import ErrorListener
        from antlr4.ListTokenSource import ListTokenSource
        from antlr4.Token import CommonToken
        from antlr4_cypher import CypherParser

        class Listener(ErrorListener):  # type: ignore[misc]
            def syntaxError(self, recognizer: Any, symbol: Any, *_: Any) -> None:
                raise Misfit(symbol.tokenIndex)

        class Timed(CommonTokenStream):  # type: ignore[misc]
            clock: Clock

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

    def tree(self, tokens: Sequence[Token], clock: Clock, complete: bool) -> Any:
        from antlr4.atn.ParserATNSimulator import ParserATNSimulator

        made, places = [], []
        for place, text, kind in self._taken(tokens):
            made.append(self._made(kind, text, tokens[place].start))
            places.append(place)
        # The grammar knows only queries that end: what comes before WITH is given an end of its own.
        made += [self._made(type, text, -1) for type, text in (() if complete else self._end)]
        made.append(self._made(self._parser.EOF, "", -1))
        stream = self._stream(self._source(made))
        stream.clock = clock
        parser = self._parser(stream)
        parser._interp = ParserATNSimulator(parser, parser.atn, self._tables, self._contexts)
        # Full contexts take quadratic time where calls are nested, and accept nothing more.
        parser._interp.predictionMode = self._mode
        parser.removeErrorListeners()
        parser.addErrorListener(self._listener)
        try:
            return parser.script()
        except Misfit as misfit:
            raise Misfit(places[misfit.at] if misfit.at < len(places) else len(tokens)) from None
        finally:
            if sum(len(table.states) for table in self._tables) > _MOST_STATES:
                self._forget()

    def _taken(self, tokens: Sequence[Token]) -> Iterator[tuple[int, str, int]]:
        """The tokens as the grammar takes them: the place that each stands for, its text and its type."""
        signs, ends = _path_signs(tokens), _open_ends(tokens)
        for place, token in enumerate(tokens):
            if place in signs:
                # Of `[p = (a)-->(b) | p]` two rules want the sign, one of them without a blank before it.
                yield place, token.text, self._type(token)
            if place in ends:
                # The grammar wants a RETURN in an EXISTS of clauses, which needs none.
                blank = () if tokens[place - 1].kind == "space" else (self._space,)
                yield from ((place, text, type) for type, text in (*blank, *self._end))
            if not (token.kind == "space" and place + 1 in signs):
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
                # Bounds of `*1..3` are whole numbers to the grammar; everywhere else it takes both.
                return int(parser.Integer if token.text.isdecimal() else parser.DIGIT)
        return self._types.get(token.text.upper(), int(parser.ID))


def _path_signs(tokens: Sequence[Token]) -> set[int]:
    """The places of the signs in comprehensions of paths: behind `[name`, in brackets that hold a bar."""
    found = set()
    words = [place for place, token in enumerate(tokens) if token.kind != "space"]
    for before, name, sign in zip(words, words[1:], words[2:], strict=False):
        if tokens[before].text == "[" and tokens[name].kind in ("name", "quoted") and tokens[sign].text == "=":
            inside = tokens[sign : _closing(tokens, before)]
            if any(token.text == "|" and token.depth == tokens[sign].depth for token in inside):
                found.add(sign)
    return found


def _open_ends(tokens: Sequence[Token]) -> set[int]:
    """The places of the brackets that close an EXISTS of clauses without RETURN."""
    found = set()
    words = [place for place, token in enumerate(tokens) if token.kind != "space"]
    for word, opening, first in zip(words, words[1:], words[2:], strict=False):
        if tokens[word].word == "EXISTS" and tokens[opening].text == "{" and tokens[first].word in CLAUSES:
            end = _closing(tokens, opening)
            inside = tokens[first:end]
            if not any(token.word == "RETURN" and token.depth == tokens[first].depth for token in inside):
                found.add(end)
    return found


def _closing(tokens: Sequence[Token], opening: int) -> int:
    depth = tokens[opening].depth + 1
    places = range(opening + 1, len(tokens))
    return next(at for at in places if tokens[at].text in (")", "]", "}") and tokens[at].depth == depth)


def is_word(text: str) -> bool:
    """Whether a name is a word of the language, which needs backticks to be a name."""
    return text.isalpha() and text.upper() in _grammar()._types
