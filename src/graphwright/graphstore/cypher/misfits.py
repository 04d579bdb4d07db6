"""Why a query does not fit the grammar, told from the words around the place, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.graphstore.cypher.grammar import is_word
from graphwright.graphstore.cypher.scanning import Token
from graphwright.graphstore.cypher.words import CLAUSES, FUNCTION_HINTS, WORD_HINTS
from graphwright.graphstore.errors import QueryRefused
from graphwright.graphstore.names import shown


def explained(tokens: Sequence[Token], at: int, query: str) -> QueryRefused:
    """The refusal of a query whose token number `at` does not fit; it may be one more than there are."""
    place = next((n for n in range(at, len(tokens)) if tokens[n].kind != "space"), len(tokens))
    before = [token for token in tokens[:place] if token.kind != "space"]
    if place == len(tokens):
        line, column = query.count("\n") + 1, len(query) - query.rfind("\n")
        return QueryRefused("the query ends too early", "A query that reads ends in RETURN.", line, column)
    token = tokens[place]
    if token.word in WORD_HINTS:
        return token.refused(*WORD_HINTS[token.word])
    for opened in _callers(before, token):
        if opened.word in ("CALL", "EXISTS"):
            return opened.refused(*WORD_HINTS[opened.word])
        if opened.text.lower() in FUNCTION_HINTS:
            hint = FUNCTION_HINTS[opened.text.lower()]
            return opened.refused(f"the function {shown(opened.text)} is not known here", hint)
    for each in reversed(before[-2:]):
        if each.word in WORD_HINTS and (each.word == "EXISTS" or not is_word(each.text)):
            return each.refused(*WORD_HINTS[each.word])
    return token.refused(f"{shown(token.text)} does not fit here", _hint(before, token))


def _callers(before: Sequence[Token], token: Token) -> list[Token]:
    """The words in front of the brackets that are open at a token, or opened by it; the innermost first."""
    found = []
    depth = token.depth + (token.text in ("(", "[", "{"))
    for number in range(len(before), 0, -1):
        opening = token if number == len(before) else before[number]
        if opening.text in ("(", "[", "{") and opening.depth < depth:
            depth = opening.depth
            found.append(before[number - 1])
    return found


def _hint(before: Sequence[Token], token: Token) -> str:
    last = before[-1] if before else None
    if last is None:
        return "A query begins with MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN, CREATE or MERGE."
    signs = (
        (
            token.text == "{" and last.word in ("COUNT", "COLLECT"),
            "Such subqueries are not accepted; use MATCH, WITH and count().",
        ),
        (
            token.text == "{" and last.kind in ("name", "quoted"),
            f"Properties are returned one by one: RETURN {last.text}.name.",
        ),
        (
            token.text == "}" and len(before) > 1 and before[-2].text == "{",
            f"A parameter is written ${last.text}.",
        ),
        (token.text == "=" and last.text == "=", "Equal is written with one sign: =."),
        (token.text == "|", "Alternatives are written only between types of edges: -[:A|B]->."),
        (token.word == "WHERE" and token.depth, "WHERE stands behind the pattern: MATCH (n) WHERE n.name = ..."),
        (
            token.text == "." and last.text == "]",
            "Give the item a name first: WITH list[0] AS item RETURN item.name.",
        ),
        (
            token.kind == "string" and last.kind == "string",
            "A quote inside a string is written \\'. Better, give the text as a parameter.",
        ),
    )
    for holds, hint in signs:
        if holds:
            return hint
    if token.word in CLAUSES and not token.depth:
        if any(each.word == "RETURN" and not each.depth for each in before):
            return "RETURN is the last clause of a query."
        if any(each.word in ("CREATE", "MERGE", "SET", "DELETE", "REMOVE") and not each.depth for each in before):
            return "Between what writes and what reads stands WITH."
        return "Look at what stands before it."
    for each in (token, last):
        if is_word(each.text):
            return f"{shown(each.text)} is a word of the language; as a name it needs backticks."
    return ""
