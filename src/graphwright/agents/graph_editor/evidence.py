"""What speaks for a name or a value: the user's words, the graph, and what queries of this goal have shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphwright.agents.graph_editor.described import Described, described
from graphwright.agents.graph_editor.mentions import Mentions, asked_about, denied, orders, quoted, unfamiliar
from graphwright.agents.graph_editor.topics import about
from graphwright.agents.graph_editor.words import (
    OFF,
    QUOTED,
    STATES,
    denies,
    has,
    is_question,
    plain,
    same_stem,
    singular,
    squeezed,
    tokens,
    writes_asked,
)
from graphwright.graphstore import GraphStore, Node, Schema
from graphwright.graphstore.elements import LabelSchema

NUMBERS = {
    word: number
    for number, words in enumerate(
        ("zero null", "one eins", "two zwei", "three drei", "four vier", "five fünf", "six sechs",
         "seven sieben", "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf")
    )
    for word in words.split()
}  # fmt: skip
# Not those of a key: the 1 of `T-1` is no number.
DIGITS = re.compile(r"(?<![\w.])(?<![A-Za-z_][-.])[-+]?\d(?:[\d.,']*\d)?")


@dataclass(frozen=True)
class Evidence:
    """What a step may be made of.

    `request` is what the user wanted first, `text` that and what the user added since. `shown` are keys that the model
    has seen, in results of queries or beside the nodes that the request names, and `sure` those of them that are surely
    meant. `agreed` are keys that the user agreed to have created, and `settled` values that are out, with what stands
    for them. `gone` are the nodes that the goal has deleted.
    """

    request: str
    text: str
    mentions: Mentions
    schema: Schema
    store: GraphStore
    shown: frozenset[str] = frozenset()
    sure: frozenset[str] = frozenset()
    agreed: frozenset[str] = frozenset()
    settled: Mapping[str, Any] = field(default_factory=dict)
    gone: tuple[Node, ...] = ()

    @cached_property
    def asked(self) -> frozenset[str]:
        """The kinds of writing that the request has words for."""
        return writes_asked(self.text)

    @cached_property
    def only_asks(self) -> bool:
        """Whether the request is a question and nothing more."""
        return is_question(self.request) and not orders(self.text)

    @cached_property
    def described(self) -> list[Described]:
        """The nodes that the request describes by their label and values, and where."""
        if not self.mentions.partly:
            return []
        return [*described(self.text, self.schema, self.store), *about(self.text, self.schema, self.store)]

    def speaks_against(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the request has a "not" where it names what these arguments would write."""
        anchors = [str(arguments[name]) for name in ("key", "from_key", "to_key") if name in arguments]
        anchors += [str(value) for value in (arguments.get("properties") or {}).values() if value is not None]
        return denied(self.text, anchors)

    def asked_for(self, anchor: str) -> frozenset[str]:
        """The kinds of writing asked for where the anchor stands."""
        return asked_about(self.text, anchor)

    def label_schema(self, label: str) -> LabelSchema | None:
        return next((one for one in self.schema.labels if one.label == label), None)

    def property_names(self, labels: Iterable[str] = (), types: Iterable[str] = ()) -> list[str]:
        """The property names that these labels and types have; of all of them where none is given."""
        wanted_labels, wanted_types = set(labels), set(types)
        everything = not wanted_labels and not wanted_types
        names: dict[str, None] = {}
        for one in self.schema.labels:
            if everything or one.label in wanted_labels:
                names |= dict.fromkeys(one.properties)
        for other in self.schema.types:
            if everything or other.type in wanted_types:
                names |= dict.fromkeys(other.properties)
        return list(names)

    def surely(self, key: str) -> bool:
        """Whether the user surely means the node with this key; without it a write is shown and confirmed first."""
        named = key in self.sure or key in self.agreed or any(node.key == key for node in self.mentions.nodes)
        return named or says_key(key, self.text)

    def names(self) -> str:
        """What the request names, for a model that went astray: `nodes O-7; properties due; edge types SUPPLIES`."""
        found = self.mentions
        parts = [
            ("nodes", [node.key for node in found.nodes]),
            ("properties", found.properties),
            ("edge types", found.types),
            ("labels", found.labels),
        ]
        return "; ".join(f"{what} {', '.join(names)}" for what, names in parts if names) or "nothing of the graph"

    def says(self, value: Any) -> bool:
        """Whether the user said this value."""
        return said(value, self.text)


def says_key(key: str, text: str) -> bool:
    """Whether a text names a key: letter by letter, whatever the case, and in quotes only as the whole of them."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(key)}(?![A-Za-z0-9_-]|[.][A-Za-z0-9])", re.IGNORECASE)
    if any(plain(inside) == plain(key) for inside in quoted(text)):
        return True
    return pattern.search(QUOTED.sub(" ", text)) is not None


def said(value: Any, text: str) -> bool:
    """Whether a text states a value: a text by its letters and digits, a number by its amount, a list by its items."""
    match value:
        case bool():
            return value or denies(text) or any(has(text, word) for word in OFF)
        case int() | float():
            return any(_close(number, value) for number in numbers_in(text))
        case list():
            return bool(value) and all(not isinstance(item, bool) and said(item, text) for item in value)
        case str():
            return _said_text(value, text)
    return False


def _said_text(value: str, text: str) -> bool:
    return spelled(value, text) or implied(value, text)


def spelled(value: str, text: str) -> bool:
    """Whether the words of a value stand in the text, whatever stands between their letters."""
    sought = squeezed(value)
    if not sought:
        return bool(value) and value in text
    if sought not in squeezed(text):
        return False
    if not sought.isascii():
        return True
    # Inside other words it does not count: "low" in "below".
    parts = tokens(value.replace("_", " ").replace("-", " "))
    spaced = " ".join(tokens(text.replace("_", " ").replace("-", " ")))
    together = re.search(rf"(?<!\w){re.escape(' '.join(parts))}(?!\w)", spaced) is not None
    return together or any(squeezed(word) == sought for word in text.split())


def implied(value: str, text: str) -> bool:
    """Whether a verb of the text means a state: "close it" says `closed`, and so does "it was closing"."""
    state = plain(value)
    return put_into(value, text) or (state.isalpha() and any(same_stem(state, word) for word in tokens(text)))


def put_into(value: str, text: str) -> bool:
    """Whether the text has a verb that puts things into this state."""
    state = plain(value)
    return any(state in states and any(has(text, verb) for verb in verbs) for verbs, states in STATES)


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, in digits or in words up to twelve.

    A comma before just three digits divides thousands, any other is a decimal one; a dot before three digits may be
    either.
    """
    found: list[float] = []
    for digits in DIGITS.findall(text):
        forms = {_without_thousands(digits), digits.replace(".", "") if re.search(r"\.\d{3}(?!\d)", digits) else digits}
        for form in forms:
            try:
                number = float(form.replace("'", "").replace(",", ".").rstrip("."))
            except ValueError:
                continue
            if math.isfinite(number):
                found.append(number)
    return found + [float(NUMBERS[t]) for t in tokens(text) if t in NUMBERS]


def _without_thousands(digits: str) -> str:
    return re.sub(r",(?=\d{3}(?!\d))", "", digits.rstrip(".,"))


def number_of(text: str) -> Any:
    """A text as the number that it says, else the text."""
    form = _without_thousands(text.strip()).replace(",", ".")
    for kind in (int, float):
        try:
            number = kind(form)
            return number if math.isfinite(number) else text
        except ValueError:
            continue
        except OverflowError:
            # A whole number that no float can hold.
            return text
    return text


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))


def canonical_label(label: str, schema: Schema) -> str | None:
    """The label of the graph that is meant: whatever the case, in the singular or the plural."""
    known = {squeezed(one.label): one.label for one in schema.labels}
    close = squeezed(label)
    return (
        known.get(close)
        or known.get(singular(close))
        or next((name for plain_name, name in known.items() if singular(plain_name) == singular(close)), None)
    )


def canonical_type(kind: str, schema: Schema) -> str | None:
    """The edge type of the graph that is meant, whatever the case and the separators."""
    known = {squeezed(one.type): one.type for one in schema.types}
    return known.get(squeezed(kind))


def canonical_property(name: str, known: Iterable[str]) -> str | None:
    """The property that is meant, whatever the case and the separators."""
    return {squeezed(each): each for each in known}.get(squeezed(name))


def near_names(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest, else all."""
    names = list(known)
    near = unfamiliar(name, names)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"There are: {', '.join(names[:12])}." if names else "There are none yet."


def like(one: Any, other: Any) -> bool:
    """Whether two values say the same, whatever the case; blanks, `_` and `-` are one. C is not C++."""
    if isinstance(one, str) and isinstance(other, str):
        return _joined(one) == _joined(other)
    return type(one) is type(other) and bool(one == other)


def _joined(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", plain(text)).strip()
