"""Grounding options and booleans: the user's words must bear out the option that was proposed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.runtime.reading.amounts import ground_number
from graphwright.runtime.reading.clauses import NEGATIONS, is_negated
from graphwright.runtime.reading.evidence import Evidence, evidence_in
from graphwright.runtime.reading.options import Option, has_words, names_of, option_for, options_of, read_choice
from graphwright.runtime.reading.verdicts import Grounded, Refused, grounded, shown
from graphwright.runtime.reading.words import Stretch, fold, is_form_of, words_of
from graphwright.runtime.reading.yes_no import read_yes_no

_OR = re.compile(r"\b(?:or|oder|ou|oppure)\b")
_AND = re.compile(r"[\s,]*(?:and|und|sowie|et|[&/,+])(?:\s+\w+){0,2}\s*")
UNSURE = re.compile(
    r"\b(?:do\s?n[o']?t know|dont know|no idea|not sure|unsure|maybe|perhaps|weiss (?:ich |es )?nicht|keine ahnung"
    r"|vielleicht|nicht sicher|mal sehen)\b"
)


def ground_option(
    message: str, place: Stretch, value: Any, schema: Mapping[str, Any], *, pending: bool, one_of_many: bool
) -> Grounded | Refused:
    """The declared option that `value` means, if the words at `place` bear it out.

    With `x-words` the words must hold evidence for it. Without, and for the question being asked, they must only not
    speak for another option.
    """
    options = options_of(schema)
    option = option_for(value, options)
    quote = message[place.start : place.end]
    chosen = read_choice(quote, options) if pending else None
    numeric = all(isinstance(o.value, int | float) and not isinstance(o.value, bool) for o in options)
    if numeric and chosen is None:
        return _numeric(message, place, value, schema, options, one_of_many)
    if option is None:
        return Refused(f"{shown(value)} is not one of: {_list(options)}.", "not_an_option")
    found = evidence_in(quote, options)
    mine = next((evidence for evidence in found if evidence.option == option), None)
    if mine is None and chosen == option:
        return grounded(message, place, option.value)
    spoken = [e for e in found if e.option != option and not is_denied(message, place, e)]
    if mine is None:
        return _without_evidence(message, place, schema, option, chosen, spoken, pending=pending)
    if is_denied(message, place, mine):
        return Refused(f"You wrote that it is not {shown(option.title)}.", "negated", _only(spoken))
    for other in spoken:
        if other.strength > mine.strength and _holds(other.place, mine.place):
            return Refused(_says_not(quote, option), "no_evidence", other.option.value)
        if not one_of_many and _is_either(quote, mine, other):
            reason = f"{shown(quote)} names {shown(option.title)} and {shown(other.option.title)}. Which one is it?"
            return Refused(reason, "ambiguous")
    return grounded(message, place, option.value)


def _numeric(
    message: str, place: Stretch, value: Any, schema: Mapping[str, Any], options: Sequence[Option], one_of_many: bool
) -> Grounded | Refused:
    amount = ground_number(message, place, value, schema, one_of_many=one_of_many)
    if isinstance(amount, Refused):
        return amount
    same = next((option for option in options if option.value == amount.value), None)
    if same is None:
        return Refused(f"{amount.value} is not one of: {_list(options)}.", "not_an_option")
    return grounded(message, place, same.value)


def _without_evidence(
    message: str,
    place: Stretch,
    schema: Mapping[str, Any],
    option: Option,
    chosen: Option | None,
    spoken: Sequence[Evidence],
    *,
    pending: bool,
) -> Grounded | Refused:
    """The verdict on an option whose value, title and words the quote does not have.

    Without `x-words` a model may understand more than we do, but only of a reply to the very question, and not of a
    question.
    """
    quote = message[place.start : place.end]
    other = chosen.value if chosen is not None else _only(spoken)
    if other is not None:
        return Refused(_says_not(quote, option), "no_evidence", other)
    if has_words(schema):
        return Refused(_says_not(quote, option), "no_evidence", option.value)
    if not pending or "?" in message:
        return Refused(_says_not(quote, option), "no_evidence")
    return grounded(message, place, option.value)


def ground_boolean(
    message: str, place: Stretch, value: Any, schema: Mapping[str, Any], *, pending: bool, key: str = ""
) -> Grounded | Refused:
    """True or false, if the words at `place` say something about it; a plain yes or no decides when `pending`.

    An answer that was not asked for must be spoken of by the name of its `key`, or by words that the author listed.
    """
    said = _as_boolean(value)
    quote = message[place.start : place.end]
    if said is None:
        return Refused(f"{shown(value)} is neither yes nor no.", "type")
    if pending and (whole := read_yes_no(message)) is not None:
        return grounded(message, place, whole)
    plain = read_yes_no(quote)
    if not pending and (plain is not None or not any(len(word) > 2 for word in words_of(quote))):
        return Refused(f"{shown(quote)} does not say what it is about.", "not_said")
    if not pending and not has_words(schema) and not _speaks_of(quote, key):
        return Refused(f"{shown(quote)} does not say what it is about.", "no_evidence")
    if plain is not None and plain is not said:
        return Refused(f"{shown(quote)} means {_name(plain)}, not {_name(said)}.", "contradicted", plain)
    if UNSURE.search(fold(quote)):
        return Refused(f"{shown(quote)} is neither a yes nor a no.", "unsure")
    if has_words(schema):
        options = options_of(schema)
        found = {evidence.option.value for evidence in evidence_in(quote, options)}
        if found == {not said}:
            return Refused(f"{shown(quote)} does not mean {_name(said)}.", "no_evidence", not said)
        if not found and not pending:
            return Refused(f"{shown(quote)} does not mean {_name(said)}.", "no_evidence", said)
    return grounded(message, place, said)


def _speaks_of(quote: str, key: str) -> bool:
    names = words_of(key.replace("_", " ").replace(".", " "))
    return not names or any(is_form_of(word, name) for word in words_of(quote) for name in names)


def _as_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), read_yes_no(value))
    return None


def is_denied(message: str, place: Stretch, evidence: Evidence) -> bool:
    """Whether the words that speak for an option stand behind a negation; `evidence` was found in `place`."""
    if any(word in NEGATIONS for name in names_of(evidence.option) for word in name):
        return False
    return is_negated(message, place.start + evidence.place.start, place.start + evidence.place.end)


def _is_either(quote: str, left: Evidence, right: Evidence) -> bool:
    first, second = sorted((left.place, right.place), key=lambda stretch: stretch.start)
    between = fold(quote[first.end : second.start])
    return first.end <= second.start and (_OR.search(between) or _AND.fullmatch(between)) is not None


def _holds(outer: Stretch, inner: Stretch) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _only(found: Sequence[Evidence]) -> Any | None:
    return found[0].option.value if len(found) == 1 else None


def _says_not(quote: str, option: Option) -> str:
    return f"{shown(quote)} does not say {shown(option.title)}."


def _list(options: Sequence[Option]) -> str:
    titles = [option.title for option in options[:8]]
    return ", ".join(titles) + (", …" if len(options) > 8 else "")


def _name(value: bool) -> str:
    return "yes" if value else "no"
