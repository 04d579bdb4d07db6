"""What a request names, found by code: nodes that exist, labels, types, properties, tools, quotes, and new keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise

from graphwright.agents.graph_editor.words import (
    QUOTED,
    denies,
    forms,
    has,
    is_question,
    plain,
    same_stem,
    singular,
    squeezed,
    tokens,
    writes_asked,
)
from graphwright.graphstore import Node, Schema

_WORD = re.compile(r"[^\s,;:!?()\[\]{}\"“”„«»「」『』、。]+")
_KEY_LIKE = re.compile(
    r"(?=[\w.-]*[A-Za-z])(?:[A-Za-z]+[-_][\w-]*\d[\w-]*|[A-Za-z]{1,6}\d+[\w-]*|[a-z]+[._][a-z][\w.]*)\Z"
)
_PARTICLES = re.compile(r"(?:さん|様|から|まで|という|の|を|に|が|は|へ|と|で|も|や)")
_IDENTIFIER = re.compile(r"(?<!\w)[A-Za-z]\w{1,63}(?!\w)")
_USING = re.compile(r"(?:^|\W)(?:use|call|run|invoke)\s+(?:the\s+|a\s+)?[`'\"]?$", re.IGNORECASE)
_TOOL = re.compile(r"[`'\"」]?\s*-?(?:tool|function|werkzeug|ツール|関数)", re.IGNORECASE)
_NO_TOOL = re.compile(r"[`'\"]?\s*(?:edge|relation|type|link)", re.IGNORECASE)
SENTENCE = re.compile(r"[^.;!?\n。？]+(?:[.;!?\n。？](?!\s|$)[^.;!?\n。？]*)*[.;!?\n。？]?")
_UNTOUCHED = re.compile(r"\bwithout\s+\w+ing\b.*", re.IGNORECASE | re.DOTALL)
_ABOUT_ALL = re.compile(r"(?:do not|don't|never|nicht)\b.*\b(?:it|that|this|anything|yet|noch|es|das|nichts)\b")
CLAUSE = re.compile(
    r"(?:[;,.!?\n]+(?=\s|$)|\s(?:and|then|also|but|finally|afterwards|und|dann|sowie|danach|anschließend)\s|[、。])",
    re.IGNORECASE,
)

MOST_WORDS = 250
"""Words of a request that are looked up in the graph."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a request names. `nodes` are in the graph; `keys` look like keys, whether they are there or not.

    `partly` are nodes of which it says a part of the name that no other node has: good enough for a question.
    `unknown_tool` is a tool that the request wants used and that does not exist.
    """

    nodes: tuple[Node, ...] = ()
    partly: tuple[Node, ...] = ()
    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    unknown_tool: str = ""

    @property
    def of_graph(self) -> bool:
        """Whether the request names anything of this graph or its tools."""
        return bool(self.nodes or self.partly or self.labels or self.types or self.properties or self.tools)


def quoted(text: str) -> tuple[str, ...]:
    """The texts that stand in quotes."""
    return tuple(dict.fromkeys((one or other).strip() for one, other in QUOTED.findall(text)))


def _words(text: str) -> list[str]:
    found = []
    for word in _WORD.findall(text):
        word = word.strip("'’‘`.…-_*")
        for part in re.findall(r"[\x21-\x7e]+|[^\x00-\x7f]+", word) if re.search(r"[\u3040-\u9fff]", word) else [word]:
            found += [p for p in _PARTICLES.split(part) if p] if re.search(r"[\u3040-\u9fff]", part) else [part]
    return [re.sub(r"['’]s$", "", word) for word in found if word][:MOST_WORDS]


@lru_cache(maxsize=64)
def candidates(text: str) -> tuple[str, ...]:
    """The texts of a request that may be the key or the name of a node: quoted ones, and up to five words in a row."""
    words = _words(text)
    runs = [words[i : i + n] for n in range(5, 0, -1) for i in range(len(words) - n + 1)]
    # "LED strips" may mean the node "LED strip".
    forms = (" ".join(form) for run in runs for form in (run, [*run[:-1], singular(run[-1])]))
    # "ticket 12" may mean TICKET-12.
    numbered = (f"{one}-{two}" for one, two in pairwise(words) if one.isalpha() and two.isdecimal())
    return tuple(dict.fromkeys((*quoted(text), *forms, *numbered)))


@lru_cache(maxsize=64)
def key_like(text: str) -> tuple[str, ...]:
    """Words that look like keys: `TICKET-12`, `P-104`, `john.doe`, `wh_north`."""
    return tuple(dict.fromkeys(word for word in _words(text) if _KEY_LIKE.match(word)))


def find_mentions(
    text: str, schema: Schema, nodes: Sequence[Node], tools: Sequence[str], partly: Sequence[Node] = ()
) -> Mentions:
    """What the text names; `nodes` are those that the graph found for its `candidates`, `partly` by part of a name."""
    words = {form for token in tokens(text) for form in forms(token)}
    close = squeezed(text)
    spaced = plain(text.replace("_", " "))
    named = tool_named(text)
    known_tools = tuple(name for name in tools if has(text, name))
    labels = [one.label for one in schema.labels]
    kinds = [one.type for one in schema.types]
    properties = {name for one in schema.labels for name in one.properties}
    properties |= {name for one in schema.types for name in one.properties}
    unknown = (
        named
        if named
        and not named.isupper()
        and plain(named) not in tools
        and not _of_schema(named, labels, kinds, properties)
        else ""
    )
    return Mentions(
        nodes=tuple(nodes),
        partly=tuple(partly),
        labels=tuple(one for one in labels if names_label(one, words, close)),
        types=tuple(one for one in kinds if names_type(one, words)),
        properties=tuple(sorted(name for name in properties if plain(name.replace("_", " ")) in spaced)),
        tools=known_tools,
        quoted=quoted(text),
        keys=tuple(key for key in key_like(text) if not _of_schema(key, labels, kinds, properties)),
        unknown_tool=unknown,
    )


def tool_named(text: str) -> str:
    """The name of a tool that the text wants used: `send_email` in "use send_email", or a quoted word before "tool"."""
    for found in _IDENTIFIER.finditer(text):
        name = found.group()
        before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() : found.end() + 20]
        is_tool = _TOOL.match(after) is not None and ("_" in name or before[-1:] in ("`", "'", '"', "「"))
        # Tools are written small; WORKS_ON is an edge.
        used = "_" in name and not name.isupper() and _USING.search(before) and not _NO_TOOL.match(after)
        if is_tool or used:
            return name
    return ""


def _of_schema(name: str, labels: Sequence[str], kinds: Sequence[str], properties: set[str]) -> bool:
    return squeezed(name) in {squeezed(each) for each in (*labels, *kinds, *properties)}


def names_label(label: str, words: set[str], close: str) -> bool:
    """Whether a text with these words names a label: its own word, or for `SalesOrder` "sales order"."""
    parts = [p.casefold() for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|\d+", label)]
    return squeezed(label) in words or (len(parts) > 1 and squeezed(label) in close)


def names_type(kind: str, words: set[str]) -> bool:
    """Whether a text with these words names an edge type: `assign` and `assigned` name ASSIGNED_TO."""
    parts = [p for p in kind.casefold().split("_") if len(p) > 2 and p not in ("has", "from", "the", "for", "with")]
    return any(same_stem(part, word) for part in parts for word in words)


def clauses(text: str) -> list[str]:
    """The text in clauses, in order."""
    kept = [(m.start(), m.end()) for m in QUOTED.finditer(text)]
    parts, since = [], 0
    for cut in CLAUSE.finditer(text):
        if any(start < cut.start() < end for start, end in kept):
            continue
        parts.append(text[since : cut.start()])
        since = cut.end()
    parts.append(text[since:])
    return [part.strip() for part in parts if part.strip()]


def orders(text: str) -> frozenset[str]:
    """The kinds of writing that the text gives orders for, questions apart.

    "Which are open? Close them." and "find T-1 and close it" give one; "what is open and assigned to ann?" none.
    """
    found: frozenset[str] = frozenset()
    for sentence in SENTENCE.findall(text):
        if not is_question(sentence):
            found |= writes_asked(sentence)
            continue
        for clause in clauses(sentence)[1:]:
            first = next(iter(tokens(clause)), "")
            # "and assigned to", "and blocks": part of the question.
            if not first.endswith(("ed", "s")):
                found |= writes_asked(first)
    return found


def denied(text: str, anchors: Sequence[str]) -> bool:
    """Whether the text speaks against something at one of these places: "never create T-5", "T-2 is no longer ...".

    A clause that names nothing of its own ("don't do it yet") speaks against all of it.
    """
    sought = [squeezed(anchor) for anchor in anchors if squeezed(anchor)]
    for clause in clauses(text):
        if not denies(_UNTOUCHED.sub(" ", QUOTED.sub(" ", clause))):
            continue
        own = squeezed(clause)
        if any(anchor in own for anchor in sought) or (_ABOUT_ALL.search(plain(clause)) and not key_like(clause)):
            return True
    return False


def asked_about(text: str, anchor: str) -> frozenset[str]:
    """The kinds of writing asked for where `anchor` stands: in its clause, else in the nearest one before with a verb.

    Where words are not divided by blanks the verb stands at the end: the whole text counts.
    """
    if re.search(r"[\u3040-\u9fff]", text):
        return writes_asked(text)
    current: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()
    sought = squeezed(anchor)
    for clause in clauses(text):
        own = writes_asked(clause)
        current = own or current
        # What stands in quotes is a value, unless it is just this.
        bare = QUOTED.sub(lambda quote: quote.group() if squeezed(quote.group()) == sought else " ", clause)
        if sought and sought in squeezed(bare):
            found |= current
    return found


def apart(text: str, one: str, other: str, names: Sequence[str]) -> bool:
    """Whether two things of a request stand in different clauses, with another of the `names` between them or beside.

    "Sprint 8 is over, set its state to closed" has them together.
    """
    first, second = squeezed(one), squeezed(other)
    others = [squeezed(name) for name in names if squeezed(name) not in ("", first)]
    parts = [squeezed(clause) for clause in clauses(text)]
    with_one = [place for place, part in enumerate(parts) if first and first in part]
    with_other = [place for place, part in enumerate(parts) if second and second in part]
    if not with_one or not with_other:
        return False
    return not any(
        begin <= place and not any(name in part for part in parts[begin + 1 : place + 1] for name in others)
        for begin in with_one
        for place in with_other
    )


def unfamiliar(name: str, known: Sequence[str], *, most: int = 3) -> tuple[str, ...]:
    """The nearest known names to one that is not known."""
    by_plain = {plain(each): each for each in known}
    return tuple(by_plain[near] for near in get_close_matches(plain(name), by_plain, most, 0.6))
