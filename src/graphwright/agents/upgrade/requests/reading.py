"""What a message says, read by code: deeds asked for, experiments, contexts, weights, points, users, yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from graphwright.agents.upgrade.words.codes import codes_named
from graphwright.agents.upgrade.words.deeds import Asked, deeds
from graphwright.agents.upgrade.words.moods import begins_asking
from graphwright.agents.upgrade.words.naming import Named, named
from graphwright.agents.upgrade.words.people import groups_named, rows_of_users, users_named
from graphwright.agents.upgrade.words.places import (
    Contexts,
    Point,
    Value,
    contexts_named,
    contexts_near,
    points_named,
    unknown_contexts,
    values_named,
)
from graphwright.agents.upgrade.words.quantities import Weights, counts, weights
from graphwright.agents.upgrade.words.references import Recent, Reference, references
from graphwright.agents.upgrade.words.saying import Saying, covered, trimmed
from graphwright.agents.upgrade.words.slips import mended
from graphwright.agents.upgrade.words.titles import Title, descriptions, name_asked_about, said_name, titles
from graphwright.agents.upgrade.words.topics import Topic, topics_of
from graphwright.agents.upgrade.words.verbs import Hints
from graphwright.agents.upgrade.words.vocabulary import DONE
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.words import Stretch, fold, words_of
from graphwright.runtime.reading.yes_no import read_yes_no

Stance = Literal["new", "answer", "aside", "yes", "no"]
"""What a message is to what is pending: something new, what was asked for, a question beside it, a yes, a no."""

_OPENS = re.compile(
    r"\s*(?:(?P<yes>yes|yeah|yep|sure|ok|okay|ja|genau|correct|right|fine|go ahead)"
    r"|(?P<no>no|nope|nah|nein|stop|wait|not|moment))\b"
)
_TAKEN_BACK = re.compile(
    r"\W*(?P<no>(?:(?:actually|no|nope|wait|sorry|oh|nein|doch|on second thoughts?)\b\W*)+)?(?:please\s+)?"
    r"(?:(?:cancel|stop|abort|forget|drop|leave)(?:\s+(?:it|that|this|about it|about that))?|never\s?mind|vergiss es"
    r"|lass es)"
    r"(?:\s+(?:please|then|bitte))?\W*\Z"
)
_CREATES = re.compile(r"\b(?:create|set up|new|build|draft|another|erstelle|neues|lege)\b")
_HANDLE = re.compile(r"\w[-_/.@]\w")
_ABOUT_ONE = {"details", "terms", "conditions", "decision_points", "group_types"}
_VERB_HANDLES = re.compile(
    r"(?:set|kick|start|sign|dry|re)[-_](?:up|off|run|start|launch|name|enable)\Z", re.IGNORECASE
)


LISTS = ("include", "exclude", "uninclude", "unexclude")
"""The parameters that name members of lists."""


@dataclass(frozen=True, slots=True)
class Pending:
    """What the conversation is at: the action that misses something or waits for its confirmation."""

    action: str
    params: Mapping[str, Any] = field(default_factory=dict)
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Reading:
    """What a message says. Everything is in the order in which it stands.

    `asked`: deeds it speaks of, whatever the mood; `orders` are those to be done. `experiments`: named by whole name or
    id; `said`: what it seems to call an experiment that has no such name. `references`: "it", "the second one".
    `contexts`, `unknown_contexts` (and what they may be a slip for: `near_contexts`). `titles`: names given ("called
    Foo") and texts in quotes. `conditions` by their codes (`known_codes`: those of the context that is pending), and
    `points`, with their places; `sites`, `targets`, `group_types`, `groups` as (type, id), `users`, `user_count`,
    `group_count`, and `numbers`: whole ones, bare.
    `yes_no`: nothing but a yes (True) or no (False); `opens_with`: it begins with one and goes on. `asks`: it asks or
    wants to be told something. `stance`: what it is to what is pending.
    """

    text: str
    asked: tuple[Asked, ...] = ()
    experiments: tuple[Named, ...] = ()
    said: tuple[Title, ...] = ()
    references: tuple[Reference, ...] = ()
    contexts: tuple[str, ...] = ()
    unknown_contexts: tuple[str, ...] = ()
    near_contexts: tuple[str, ...] = ()
    titles: tuple[Title, ...] = ()
    weights: Weights = field(default_factory=Weights)
    conditions: tuple[Value, ...] = ()
    known_codes: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    sites: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    group_types: tuple[str, ...] = ()
    user_count: int | None = None
    group_count: int | None = None
    numbers: tuple[int, ...] = ()
    yes_no: bool | None = None
    opens_with: bool | None = None
    asks: bool = False
    topics: tuple[Topic, ...] = ()
    stance: Stance = "new"

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The codes of the conditions named."""
        return tuple(each.text for each in self.conditions)

    @cached_property
    def orders(self) -> tuple[Asked, ...]:
        """The deeds that are to be done."""
        return tuple(each for each in self.asked if each.mood == "order")

    @cached_property
    def name_given(self) -> str:
        """What something is to be called, empty where nothing is said of it."""
        ordered = sorted(self.titles, key=lambda title: title.role != "new_name")
        return next((title.text for title in ordered if title.role in ("new_name", "name")), "")

    def alone(self, asked: Asked) -> str:
        """The clause of a deed as a message of its own: what it calls "it" after a name is named by its id."""
        text, at = "", asked.start
        for each in self.within(asked, self.references):
            if each.pronoun and each.means and each.means[0].deed == "named":
                owns = each.said.casefold() in ("its", "their", "dessen", "deren", "seine", "seinen", "ihre", "ihren")
                text += self.text[at : each.start] + each.means[0].id + ("'s" if owns else "")
                at = each.end
        return trimmed(text + self.text[at : asked.end])

    def within(self, asked: Asked, stretches: Sequence[Named] | Sequence[Reference] | Sequence[Title]) -> list[Any]:
        """Those that stand in the clause of a deed."""
        return [each for each in stretches if asked.start <= each.start < asked.end]


def read_request(
    text: str,
    *,
    experiments: Sequence[tuple[str, str]],
    contexts: Contexts,
    recent: Sequence[Recent] = (),
    shown: Sequence[Recent] = (),
    pending: Pending | None = None,
    codes: Sequence[str] = (),
) -> Reading:
    """What a message says.

    `experiments` are ids and names; `contexts` what each context knows (`conditions`, `group_types`, `sites`,
    `targets`). `recent` are the experiments that the conversation has touched, the newest first, and `shown` the list
    that the user has last seen, in its order. `codes` are condition codes beyond those of the contexts, such as
    those of the experiment in question. Of a long message the first 4,000 characters are read.
    """
    known = _known(contexts)
    making = bool(_CREATES.search(fold(text))) or (pending is not None and pending.action == "create_experiment")
    text = mended(text, [*known["conditions"], *codes], [name for _, name in experiments], creating=making)
    saying = Saying(text)
    described = descriptions(saying)
    names = [
        name for name in named(saying, tuple(experiments)) if not covered(Stretch(name.start, name.end), described)
    ]
    # "Call it Foo Two" does not name Foo.
    longer = [
        t
        for t in titles(saying, [Stretch(each.start, each.end) for each in names], ())
        if t.role in ("name", "new_name") or t.quoted
    ]
    names = [n for n in names if not any(t.start <= n.start and n.end < t.end and _longer(t, n) for t in longer)]
    names = [n for n in names if not _is_value(saying.text, n, [*known["conditions"], *codes])]
    places = [Stretch(each.start, each.end) for each in names]
    in_contexts = [
        value
        for value in contexts_named(saying, contexts)
        if not covered(Stretch(value.start, value.end), [*places, *described])
    ]
    context_places = [Stretch(value.start, value.end) for value in in_contexts]
    given = titles(saying, places, context_places)
    # What something is to be called names no other experiment.
    names = [n for n in names if not any(t.role == "new_name" and t.start <= n.start < t.end for t in given)]
    called = [Stretch(t.start, t.end) for t in given if t.role in ("name", "new_name")]
    quotes = [Stretch(quote.start, quote.end) for quote in saying.quotes]
    named_places = [*places, *called]

    values = [*named_places, *context_places, *described]
    all_known = [*known["conditions"], *codes]
    points = points_named(saying, known["sites"], known["targets"], all_known, values)
    at_points = [Stretch(each.start, each.end) for each in points]
    conditions = codes_named(saying, all_known, [*values, *at_points])
    found_codes = [each.text for each in conditions]
    parts = [*at_points, *(Stretch(each.start, each.end) for each in conditions)]
    users_many, groups_many = counts(_without(text, [*named_places, *described]))
    handles = [
        Stretch(raw.start, raw.end)
        for raw in saying.raw
        if _HANDLE.search(raw.text) and not _VERB_HANDLES.match(raw.text)
    ]
    rows = [Stretch(each.start, each.end) for each in rows_of_users(saying, values)]
    kept = [*named_places, *context_places, *quotes, *handles, *rows]
    groups, group_types = groups_named(saying, known["group_types"], values)
    spoken_of = fold(text)
    with_users = re.search(
        r"\b(?:init\w*|assign\w*|mark\w*|enrol\w*|exclu\w*|inclu\w*|condition|visit\w*|register|gets?|reached|saw"
        r"|take part|join\w*|participat\w*|allow\w*"
        r"|be in|be on|stay out|belong\w*|member|moved?|works?|attends|ausschl\w*|schliess\w*)\b",
        spoken_of,
    )
    listing = pending is not None and any(pending.params.get(name) for name in LISTS)
    taken = {*found_codes, *(p.site for p in points), *(p.target for p in points), *(id for _, id in groups)}
    users = [u for u in users_named(saying, values, loose=bool(with_users) or listing) if u not in taken]
    designing = pending is not None and pending.action in ("create_experiment", "update_experiment")
    all_codes = list(dict.fromkeys([*found_codes, *codes]))
    stated = weights(_without(text, [*named_places, *described]), all_codes, expected=designing, named=len(found_codes))
    if users or groups or users_many is not None:
        # Their numbers are no weights.
        stated = replace(stated, loose=())
    hints = Hints(
        many=users_many is not None,
        user=bool(users),
        weighted=bool(stated),
        renamed=any(title.role == "new_name" for title in given),
        single=len(users) == 1,
        grouped=bool(groups),
        listed=bool(users or groups),
        parts=tuple(parts),
    )
    texts = [quote for quote in quotes if not covered(quote, [*named_places, *described])]
    asked = deeds(saying, kept, [*named_places, *texts], hints)
    if (
        not any(
            each.action in ("init_experiment_user", "mark_decision_point", "get_decision_point_assignments")
            for each in asked
        )
        and not with_users
        and not listing
    ):
        users = [user for user in users if re.search(r"\d", user)]
    pointing = _antecedents(references(saying, recent, shown, [*named_places, *quotes]), names, asked)

    bare = _without(text, [*kept])
    asks = _asks(saying, kept)
    topics = topics_of(bare, names_experiment=bool(names or pointing), asks=asks)
    done = [each for each in asked if each.mood == "question" and tuple(each.said.split()) in DONE]
    if not topics and asks and names and len(done) == len(asked):
        # A question about an experiment is answered by what it is, also "is stu-1 excluded from Foo?".
        topics = ("details",)
    ordered = any(each.mood == "order" for each in asked)
    about_one = asks and not (names or pointing or ordered)
    unknown_name = name_asked_about(saying, [*values, *handles, *parts]) if about_one else None
    if unknown_name is not None and {*topics} <= _ABOUT_ONE:
        # "What are the weights of the Spelling Bee test?", where no experiment is called so.
        topics = ("details",)
    said = _said(saying, asked, names, pointing, given, [*context_places, *handles], topics)
    if unknown_name is not None and topics == ("details",) and not said:
        said = [unknown_name]
    creating = [each for each in asked if each.verb == "create"]
    # "Make that control 10" names a condition.
    said = [t for t in said if creating or t.quoted or not covered(Stretch(t.start, t.end), parts)]
    new = {title.text for title in said for each in creating if each.start <= title.start < each.end}
    # "Create experiment W3, include school s1" includes no user W3, and "also exclude u2" names no experiment.
    users = [user for user in users if user not in new]
    said = [t for t in said if t.quoted or not {t.text, t.text.split()[0]} & {*taken, *users}]
    unknown = unknown_contexts(saying, contexts, values)
    plain = _plain_answer(text, asked, pending)
    if plain is False:
        # "No, cancel that" cancels no experiment.
        asked = []
    return Reading(
        text=saying.text,
        asked=tuple(asked),
        experiments=tuple(names),
        said=tuple(said),
        references=tuple(pointing),
        contexts=tuple(dict.fromkeys(value.text for value in in_contexts)),
        unknown_contexts=tuple(unknown),
        near_contexts=()
        if in_contexts
        else tuple(contexts_near(saying, contexts, unknown, [*named_places, *described])),
        titles=tuple(given),
        weights=stated,
        conditions=tuple(conditions),
        known_codes=_codes_known(contexts, pending),
        points=tuple(points),
        sites=tuple(values_named(saying, known["sites"], values)),
        targets=tuple(values_named(saying, known["targets"], values)),
        users=tuple(users),
        groups=tuple(groups),
        group_types=tuple(group_types),
        user_count=users_many,
        group_count=groups_many,
        numbers=tuple(_whole_numbers(_without(text, [*named_places, *handles, *described]))),
        yes_no=plain,
        # "Not variant" is no "no".
        opens_with=None if plain is not None or parts or users else _opening(text),
        asks=asks,
        topics=topics,
        stance=_stance(plain, asked, names, topics, asks, pending),
    )


def _is_value(text: str, name: Named, codes: Sequence[str]) -> bool:
    """Whether the condition code is meant where an experiment's name has the same words: "control 50, hint 50"."""
    if name.quoted or name.said not in codes or name.said == name.name:
        return False
    before, behind = fold(text[max(0, name.start - 60) : name.start]), fold(text[name.end : name.end + 60])
    some = "|".join(re.escape(fold(code)) for code in sorted(codes, key=len, reverse=True))
    weight = r"\d+(?:[.,]\d+)?\s*%?"
    return bool(
        re.search(
            r"(?:\d\s*%?\s*(?:for|to|of)?|\b(?:vs\.?|versus|against|conditions?|codes?|gets?|assigned))\s*:?\s*$",
            before,
        )
        or re.search(rf"(?<![\w-])(?:{some})\s*(?:{weight}\s*)?(?:,|/|&|and|or|und)\s*$", before)
        or re.match(
            r"\s*(?:[=(]?\s*\d|:\s*\d+(?:[.,]\d+)?(?!\s*[/:\d])|%|(?:vs\.?|versus|against|condition)\b)", behind
        )
        or re.match(rf"\s*(?:,|/|&|and|or|und)\s*(?:{weight}\s*)?(?:{some})(?![\w-])", behind)
    )


def _longer(title: Title, name: Named) -> bool:
    return words_of(title.text) != words_of(name.said)


def _known(contexts: Contexts) -> dict[str, list[str]]:
    """All that the contexts know, of each kind, without doubles."""
    return {
        kind: list(dict.fromkeys(value for known in contexts.values() for value in known.get(kind, ())))
        for kind in ("conditions", "group_types", "sites", "targets")
    }


def _codes_known(contexts: Contexts, pending: Pending | None) -> tuple[str, ...]:
    context = str(pending.params.get("context", "")) if pending is not None else ""
    return tuple(contexts.get(context, {}).get("conditions", ()))


def _without(text: str, stretches: Sequence[Stretch]) -> str:
    """The text with blanks where the stretches stand."""
    characters = list(text)
    for one in stretches:
        characters[one.start : one.end] = " " * (one.end - one.start)
    return "".join(characters)


def _whole_numbers(text: str) -> list[int]:
    return [each.value for each in numbers_in(text) if isinstance(each.value, int) and not each.unit]


def _asks(saying: Saying, kept: Sequence[Stretch]) -> bool:
    """Whether one of the sentences asks, or wants to be told something."""
    for fragment in saying.fragments(kept):
        words = saying.between(fragment.start, fragment.end, kept)
        whole = saying.between(fragment.start, fragment.end)
        # What begins with a name begins with no verb, even one that stands in it.
        named = bool(words) and whole[0] is not words[0] and covered(whole[0], kept)
        if (not named and begins_asking(words)) or saying.sentence_end(fragment) == "?":
            return True
    return False


def _plain_answer(text: str, asked: Sequence[Asked], pending: Pending | None) -> bool | None:
    """Yes or no, where the message is nothing else.

    "Delete it" agrees to a deletion that waits for a yes, and to nothing else; "stop it" and "cancel that" are a no
    while something waits, and otherwise speak of an experiment.
    """
    answer = read_yes_no(text)
    taken_back = _TAKEN_BACK.match(fold(text))
    if taken_back is not None and (pending is not None or taken_back["no"]):
        return False
    orders = [each for each in asked if each.mood == "order" and each.action]
    if answer is None or not orders:
        return answer
    if pending is None or any(each.action != pending.action for each in orders if answer):
        return None
    return answer if not answer or _same_deed(orders[0], pending) else None


def _same_deed(order: Asked, pending: Pending) -> bool:
    wanted = pending.params.get("status")
    return order.action == pending.action and (not order.status or wanted in (None, order.status))


def _opening(text: str) -> bool | None:
    match = _OPENS.match(fold(text))
    if match is None or match.end() == match.start():
        return None
    return True if match["yes"] else False if match["no"] else None


def _antecedents(pointing: Sequence[Reference], names: Sequence[Named], asked: Sequence[Asked]) -> list[Reference]:
    """ "Stop Foo, then delete it" means Foo, and "create Foo and start it" what is not there yet."""
    found = []
    for each in pointing:
        before = [name for name in names if name.end <= each.start and not name.denied]
        made = [deed for deed in asked if deed.action == "create_experiment" and deed.start < each.start]
        if not each.pronoun:
            found.append(each)
        elif made and not any(name.start >= made[-1].end for name in before):
            inside = each.start < made[-1].end
            found.append(each if inside else replace(each, means=()))
        elif before:
            last = before[-1]
            means = (Recent(last.ids[0], last.name, "named"),) if len(last.ids) == 1 else ()
            found.append(replace(each, means=means))
        else:
            found.append(each)
    return found


def _said(
    saying: Saying,
    asked: Sequence[Asked],
    names: Sequence[Named],
    pointing: Sequence[Reference],
    given: Sequence[Title],
    kept: Sequence[Stretch],
    topics: Sequence[Topic],
) -> list[Title]:
    """What the message seems to call an experiment, where it names none that there is."""
    found = []
    for each in asked:
        starts = [one.start for one in names]
        if each.verb != "create":
            starts += [one.start for one in pointing]
        if any(each.start <= start < each.end for start in starts):
            continue
        quoted = [t for t in given if t.role in ("said", "name") and each.start <= t.start < each.end]
        title = quoted[0] if quoted else said_name(saying, each.start, each.end, kept)
        if title is not None:
            found.append(title)
    if not asked and not names and not pointing and topics:
        quoted = [t for t in given if t.role in ("said", "name")]
        title = quoted[0] if quoted else said_name(saying, 0, len(saying.text), kept)
        if title is not None:
            found.append(title)
    return found


def _stance(
    plain: bool | None,
    asked: Sequence[Asked],
    names: Sequence[Named],
    topics: Sequence[Topic],
    asks: bool,
    pending: Pending | None,
) -> Stance:
    if pending is None:
        return "yes" if plain else "no" if plain is False else "new"
    if plain is not None:
        return "yes" if plain else "no"
    orders = [each for each in asked if each.mood == "order"]
    other = [each for each in orders if not _continues(each, pending)]
    if other or any(_another(name, pending) for name in names if orders):
        return "new"
    if not orders and asks and (topics or asked):
        return "aside"
    return "answer"


def _continues(order: Asked, pending: Pending) -> bool:
    """Whether an order adds to what is pending: "call it Bar", "set the weights to 70/30" while one is created."""
    if order.action == pending.action:
        return _same_deed(order, pending)
    return order.action == "update_experiment" and pending.action == "create_experiment"


def _another(name: Named, pending: Pending) -> bool:
    """Whether another experiment is named than the one that is pending."""
    own = pending.params.get("experiment_id")
    return own is not None and own not in name.ids and not name.denied
