"""Which experiment a message means: one that can be told, several to choose from, or none of that name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.agents.upgrade.requests.reading import Pending, Reading
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.naming import Experiments, Named, near, nearest
from graphwright.agents.upgrade.words.references import Recent
from graphwright.agents.upgrade.words.states_said import states_said
from graphwright.agents.upgrade.words.telling_apart import marked, told_apart
from graphwright.agents.upgrade.words.vocabulary import NUMBER_WORDS
from graphwright.runtime.reading.words import fold, words_of
from graphwright.runtime.reading.yes_no import read_yes_no

MOST_OPTIONS = 10
"""Experiments that a choice offers."""

_LASTING = frozenset({"delete", "cancel", "complete", "archive"})
_SHORT = 8
_NUMBER = re.compile(
    r"\W*(?:number|option|nr|nummer|no|the)?[.\s#]*(?P<number>\d{1,3})(?:st|nd|rd|th)?\W*(?:one|please|bitte)?\W*\Z"
)


@dataclass(frozen=True, slots=True)
class Option:
    """An experiment to choose, and what tells it from others; what is not known is empty.

    `at` are its decision points, and `about` all words that are known of it.
    """

    id: str
    name: str
    context: str = ""
    state: str = ""
    short_id: str = ""
    at: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which experiment is meant.

    `one`: `experiment`, `sure` unless its name only comes near; `rest` are those that the order names beside it.
    `choose`: `options`, `more` of which are not shown. `not_found`: nothing has the name `said`; `nearest` may name
    some. `unsaid`: the message names none.
    """

    kind: Literal["one", "choose", "not_found", "unsaid"]
    experiment: tuple[str, str] | None = None
    sure: bool = True
    said: str = ""
    options: tuple[Option, ...] = ()
    more: int = 0
    nearest: tuple[str, ...] = ()
    rest: tuple[tuple[str, str], ...] = ()


def resolve(
    reading: Reading,
    asked: Asked | None,
    experiments: Sequence[tuple[str, str]],
    *,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    pending: Pending | None = None,
) -> Resolved:
    """The experiment that an order means; without an order, the one that the message is about.

    `details` may hold `context`, `state`, `at` and `about` by id: they tell experiments of one name apart. What
    `pending` is about stands in for a message that names none and goes on with it.
    """
    known = tuple(experiments)
    details = details or {}
    within = _Within(reading, asked)
    meant = [each for each in within.named() if not each.denied]
    if meant:
        return _of_named(_narrowed(meant), reading, asked, dict(known), details)
    pointing = within.pointing()
    if pointing:
        first = next((each for each in pointing if each.means), None)
        if first is not None:
            return Resolved("one", (first.means[0].id, first.means[0].name), said=first.said)
        return Resolved("unsaid", said=pointing[0].said)
    said = within.said()
    if said:
        return _near(said, asked, known, details)
    own = pending.params if pending is not None and reading.stance != "new" else {}
    id = str(own.get("experiment_id") or own.get("assigned_condition", {}).get("experiment_id") or "")
    if id:
        return Resolved("one", (id, str(own.get("name") or dict(known).get(id, ""))))
    return Resolved("unsaid")


@dataclass(frozen=True, slots=True)
class _Within:
    """What stands in the clause of an order, and where nothing does, in the message: "create and start Foo"."""

    reading: Reading
    asked: Asked | None

    def named(self) -> list[Named]:
        every = list(self.reading.experiments)
        if self.asked is None:
            return every
        own: list[Named] = self.reading.within(self.asked, self.reading.experiments)
        if own or self.reading.within(self.asked, self.reading.references) or self.said():
            return own
        return every if len({each.ids for each in every}) == 1 else []

    def pointing(self) -> list[Any]:
        every = list(self.reading.references)
        if self.asked is None:
            return every
        return self.reading.within(self.asked, every) or (every if not self.said() else [])

    def said(self) -> str:
        titles = self.reading.said
        own = self.reading.within(self.asked, titles) if self.asked is not None else titles
        return own[0].text if own else ""


def _narrowed(meant: Sequence[Named]) -> list[Named]:
    """ "Twin 55555555": the id says which of those of the name."""
    kept: list[Named] = []
    for each in meant:
        narrower = [other for other in meant if set(other.ids) < set(each.ids)]
        same = [other for other in kept if set(other.ids) == set(each.ids)]
        if not narrower and not same:
            kept.append(each)
    return kept


def _of_named(
    meant: Sequence[Named],
    reading: Reading,
    asked: Asked | None,
    names: Mapping[str, str],
    details: Mapping[str, Mapping[str, Any]],
) -> Resolved:
    first, *others = meant
    rest = tuple((other.ids[0], names.get(other.ids[0], other.name)) for other in others if len(other.ids) == 1)
    ids = first.ids
    if len(ids) > 1 and reading.contexts:
        ids = tuple(id for id in ids if details.get(id, {}).get("context") in reading.contexts) or ids
    if len(ids) > 1 and details:
        ids = _said_apart(first, reading, asked, {id: details[id] for id in ids if id in details}) or ids
    if len(ids) == 1:
        return Resolved("one", (ids[0], names.get(ids[0], first.name)), said=first.said, rest=rest)
    return _choice([(id, names.get(id, first.name)) for id in ids], first.said, details)


def _said_apart(
    name: Named, reading: Reading, asked: Asked | None, details: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """Those of one name that the rest of the message means: "the running Foo", "Foo, the one with the poems"."""
    text = reading.text[: name.start] + ", " + reading.text[name.end :]
    before = fold(reading.text[: name.start]).split()[-1:]
    states = states_said(" ".join(before)) | states_said(marked(text))
    if states:
        found = tuple(id for id, known in details.items() if known.get("state") in states)
        return found if len(found) == 1 else ()
    # "Move Foo to X" says where it is to be, and not which.
    clause = marked(text) if asked is not None and asked.action == "update_experiment" else text
    apart = told_apart(clause, {id: str(known.get("about", "")) for id, known in details.items()})
    return tuple(apart) if len(apart) == 1 else ()


def choice_among(found: Sequence[tuple[str, str]], said: str, details: Mapping[str, Mapping[str, Any]]) -> Resolved:
    """Experiments, ids and names, to choose from; `said` is what means them all."""
    return _choice(found, said, details)


def _near(said: str, asked: Asked | None, known: Experiments, details: Mapping[str, Mapping[str, Any]]) -> Resolved:
    found = near(said, known)
    if not found:
        return Resolved("not_found", said=said, nearest=tuple(nearest(said, known)))
    # What cannot be undone is not done to an experiment whose name was not said.
    if len(found) == 1 and (asked is None or asked.verb not in _LASTING):
        return Resolved("one", (found[0].id, found[0].name), sure=False, said=said)
    return _choice([(each.id, each.name) for each in found], said, details)


def _choice(found: Sequence[tuple[str, str]], said: str, details: Mapping[str, Mapping[str, Any]]) -> Resolved:
    return Resolved(
        "choose", said=said, options=options_of(found[:MOST_OPTIONS], details), more=max(0, len(found) - MOST_OPTIONS)
    )


def options_of(found: Sequence[tuple[str, str]], details: Mapping[str, Mapping[str, Any]]) -> tuple[Option, ...]:
    """Experiments as options; their short ids are long enough to tell them apart."""
    length = _SHORT
    while length < 36 and len({id[:length] for id, _ in found}) < len({id for id, _ in found}):
        length += 1
    return tuple(
        Option(
            id,
            name,
            str(details.get(id, {}).get("context", "")),
            str(details.get(id, {}).get("state", "")),
            id[:length],
            str(details.get(id, {}).get("at", "")),
            str(details.get(id, {}).get("about", "")),
        )
        for id, name in found
    )


def chosen(text: str, options: Sequence[Option]) -> Option | None:
    """The option that a reply to a choice means: by number, place or id, by a name, context or state that one has.

    A yes means the only option. None where the reply says none, or several.
    """
    if len(options) == 1 and read_yes_no(text):
        return options[0]
    folded = fold(text).strip()
    number = _NUMBER.match(folded)
    if number is not None:
        place = int(number["number"]) - 1
        return options[place] if 0 <= place < len(options) else None
    words = words_of(text)
    if len(words) <= 6:
        if words and {"last", "letzte", "letzten"} & set(words):
            return options[-1] if options else None
        places = [NUMBER_WORDS[word] for word in words if word in NUMBER_WORDS]
        if len(places) == 1 and places[0] < len(options):
            return options[places[0]]
    by_id = [option for option in options if option.short_id and option.short_id.casefold() in folded]
    if len(by_id) == 1:
        return by_id[0]
    spaced = f" {' '.join(words)} "
    fitting = _fitting(text, spaced, options)
    if len(fitting) == 1:
        return fitting[0]
    named = [option for option in options if words_of(option.name) and f" {' '.join(words_of(option.name))} " in spaced]
    longest = max((len(option.name) for option in named), default=0)
    named = [option for option in named if len(option.name) == longest]
    return named[0] if len(named) == 1 else None


def _fitting(text: str, spaced: str, options: Sequence[Option]) -> list[Option]:
    """The options in the context and in the state that a reply speaks of; none where it speaks of neither."""
    states = states_said(text)

    def said(value: str) -> bool:
        return bool(value) and f" {' '.join(words_of(value))} " in spaced

    apart = told_apart(text, {option.id: option.about for option in options})
    if len(apart) == 1 and len(options) > 1:
        return [option for option in options if option.id in apart]
    in_context = [option for option in options if said(option.context)]
    in_state = [option for option in options if option.state in states or said(option.state)]
    if in_context and in_state:
        return [option for option in in_context if option in in_state]
    # A state that none of them is in leaves nothing to choose.
    return in_state or (in_context if not states else [])


_DEEDS = {
    "create_experiment": "created",
    "update_experiment": "updated",
    "simulate_experiment": "simulated",
    "mark_decision_point": "marked",
}
_STATES = {"enrolling": "started", "enrollmentComplete": "stopped", "cancelled": "cancelled", "archived": "archived"}


def recently(log: Sequence[Mapping[str, Any]], shown: Sequence[tuple[str, str]] = ()) -> list[Recent]:
    """The experiments that the conversation has touched, the newest first: by the execution log, then those shown.

    Deleted ones are left out.
    """
    names: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    gone: set[str] = set()
    for entry in log:
        if entry.get("status") != "success":
            continue
        action, params = str(entry.get("action")), entry.get("params") or {}
        id = _id_in(params) or _id_in(entry.get("result"))
        if not id:
            continue
        result = entry.get("result") if isinstance(entry.get("result"), Mapping) else {}
        names[id] = str(params.get("new_name") or (result or {}).get("name") or params.get("name") or names.get(id, ""))
        if action == "delete_experiment":
            gone.add(id)
        elif action == "update_experiment_status":
            found.append((id, _STATES.get(str(params.get("status")), "updated")))
        elif action in _DEEDS:
            found.append((id, _DEEDS[action]))
    recent = [Recent(id, names[id], deed) for id, deed in reversed(found) if id not in gone]
    return recent + [Recent(id, name, "shown") for id, name in shown if id not in gone]


def _id_in(holder: Any) -> str:
    if not isinstance(holder, Mapping):
        return ""
    inner = holder.get("assigned_condition")
    own = holder.get("experiment_id") or holder.get("id")
    return str(own or (inner.get("experiment_id") if isinstance(inner, Mapping) else "") or "")
