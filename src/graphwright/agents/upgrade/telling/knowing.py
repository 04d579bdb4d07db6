"""What the agent knows by itself: the terms, what each action takes, and the slices of the contexts' metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.words.places import Contexts, near_values
from graphwright.agents.upgrade.words.quoting import listed, quoted
from graphwright.agents.upgrade.words.vocabulary import ACTIONS, BASE, DOING, DONE, STATE_WORDS, STATUS
from graphwright.errors import UsageError
from graphwright.runtime.reading.words import fold, stem, words_of

_ENTRY = re.compile(r"^- \*\*(?P<names>[^*]+)\*\*: (?P<text>.+)$", re.MULTILINE)
GENERAL = frozenset({"experiment", "condition", "user", "group", "test", "assign", "default"})
"""Terms that many messages name without asking for them."""


def get_core_terms() -> str:
    """What experiments consist of, as a list of terms."""
    return _text("terms/core_terms.md")


def get_assignment_terms() -> str:
    """How users come to their conditions, as a list of terms."""
    return _text("terms/assignment_terms.md")


def get_available_contexts(contexts: Contexts) -> list[str]:
    """The names of the contexts."""
    return list(contexts)


def get_create_experiment_schema() -> str:
    """What create_experiment takes."""
    return schema_of("create_experiment")


def get_update_experiment_schema() -> str:
    """What update_experiment takes."""
    return schema_of("update_experiment")


def get_update_experiment_status_schema() -> str:
    """What update_experiment_status takes."""
    return schema_of("update_experiment_status")


def get_delete_experiment_schema() -> str:
    """What delete_experiment takes."""
    return schema_of("delete_experiment")


def get_init_experiment_user_schema() -> str:
    """What init_experiment_user takes."""
    return schema_of("init_experiment_user")


def get_get_decision_point_assignments_schema() -> str:
    """What get_decision_point_assignments takes."""
    return schema_of("get_decision_point_assignments")


def get_mark_decision_point_schema() -> str:
    """What mark_decision_point takes."""
    return schema_of("mark_decision_point")


def get_conditions_for_context(contexts: Contexts, context: str) -> list[str]:
    """The condition codes that a context knows. Raises UsageError for a context that there is not."""
    return list(known_context(contexts, context).get("conditions", ()))


def get_decision_points_for_context(contexts: Contexts, context: str) -> dict[str, list[str]]:
    """The sites and targets that a context knows: `{sites, targets}`. Raises UsageError for one that there is not."""
    known = known_context(contexts, context)
    return {"sites": list(known.get("sites", ())), "targets": list(known.get("targets", ()))}


def get_group_types_for_context(contexts: Contexts, context: str) -> list[str]:
    """The types of groups that a context knows. Raises UsageError for a context that there is not."""
    return list(known_context(contexts, context).get("group_types", ()))


def schema_of(action: str) -> str:
    """What an action takes. Raises UsageError for an action that there is not."""
    if action not in ACTIONS:
        raise UsageError("unknown_action", f"there is no action {quoted(action)}.", f"There are: {', '.join(ACTIONS)}.")
    return _text(f"schemas/{action}.md")


def storage_key(function: str, context: str = "") -> str:
    """Under which key of `gathered_info` a function's result is kept: `conditions_for_NAME`, `core_terms`."""
    key = function.removeprefix("get_")
    return f"{key.removesuffix('context')}{context}" if key.endswith("_for_context") else key


@dataclass(frozen=True, slots=True)
class Term:
    """A term, its other names, and what it means."""

    name: str
    names: tuple[str, ...]
    text: str


@lru_cache(maxsize=1)
def terms() -> tuple[Term, ...]:
    """All terms, the core ones first."""
    found = []
    for match in _ENTRY.finditer(f"{get_core_terms()}\n{get_assignment_terms()}"):
        names = tuple(name.strip() for name in match["names"].split(","))
        found.append(Term(names[0], names, match["text"]))
    return tuple(found)


def terms_in(text: str) -> list[Term]:
    """The terms that a text names, in its order; general ones, such as "experiment", only where there is no other."""
    words = [stem(word) for word in words_of(text)]
    found: list[tuple[int, int, Term]] = []
    for term in terms():
        for name in term.names:
            own = [stem(word) for word in words_of(name)]
            at = next((i for i in range(len(words)) if words[i : i + len(own)] == own), -1)
            if at >= 0:
                found.append((at, -len(own), term))
                break
    # "consistency rule" is not "rule": what lies in a longer name does not count.
    taken: set[int] = set()
    kept: list[tuple[int, Term]] = []
    for at, length, term in sorted(found, key=lambda item: item[1]):
        places = set(range(at, at - length))
        if not places & taken:
            taken |= places
            kept.append((at, term))
    special = [(at, term) for at, term in kept if term.name not in GENERAL]
    return [term for _, term in sorted(special or kept, key=lambda item: item[0])]


_ABOUT: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), names)
    for pattern, names in (
        (r"\b(?:both lists|(?:inclu|exclu)\w*|left out|let in)\b", ("inclusion list",)),
        (
            r"\b(?:after|once|when|if|as soon as) (?:it|(?:an?|the) (?:experiment|test|study)|we|i|enrol\w+)\b.*"
            r"\b(?:stop\w*|over|ends?|ended|paused?|complete\w*|finish\w*)\b.*"
            r"\b(?:keep\w*|get\w*|condition|happens?|see)\b"
            r"|\b(?:keep|lose)s? (?:the|their|her|his) condition\b",
            ("post-experiment rule",),
        ),
        (
            r"\b(?:whole|entire|same) (?:class|school|group)\b|\bclassmates?\b|\bin (?:the same|one) (?:class|school)\b"
            r"|\ball (?:students|pupils|users) (?:of|in) (?:a|one|the same)\b",
            ("unit of assignment", "consistency rule"),
        ),
        (
            r"\b(?:changes?|switch\w*|moves?|leaves?) (?:the |to |her |his |their )*(?:another |new |other )?"
            r"(?:class|school|group)\b",
            ("group type", "consistency rule"),
        ),
        (r"\b(?:comes? back|logs? in again|second time|next (?:day|week|time)|twice)\b", ("consistency rule",)),
        (r"\b(?:two|several|other|both) experiments\b.*\b(?:same|point|place|page)\b", ("pool",)),
        (r"\b(?:no|without any|outside (?:of )?(?:an|the)) experiment\b", ("default",)),
        (r"\b(?:add|sum) up\b|\bper ?cent\w*|\b\d+ ?%", ("weight",)),
    )
)
"""What questions are about that tell of a case and name no term, by words of the case."""


def terms_about(text: str) -> list[Term]:
    """The terms that a question is about: those that it names, else those that its case is one of."""
    named = [term for term in terms_in(text) if term.name not in GENERAL]
    folded = fold(text)
    about = {name for pattern, names in _ABOUT for name in names if pattern.search(folded)}
    return named or [term for term in terms() if term.name in about]


def states_in(text: str) -> tuple[list[tuple[str, State]], str]:
    """The states that the words of a text stand for, in its order, and the text without those words.

    "Pausing" stands for the state that it leads to; a word that is a term itself stands for that.
    """
    own = {name for term in terms() for name in term.names}
    found: dict[State, str] = {}
    left = []
    for word in words_of(text):
        phrase = (word,)
        verb = BASE.get(phrase) or DOING.get(phrase) or DONE.get(phrase) or ""
        name = STATE_WORDS.get(word) or STATUS.get(verb)
        if name is None or word in own:
            left.append(word)
        else:
            found.setdefault(State(name), word)
    return [(word, state) for state, word in found.items()], " ".join(left)


def known_context(contexts: Contexts, context: str) -> Mapping[str, Sequence[str]]:
    """What a context knows. Raises UsageError for one that there is not."""
    if context in contexts:
        return contexts[context]
    near = near_values(context, list(contexts))
    hint = f"The nearest is {quoted(near[0])}." if near else f"There are: {listed(list(contexts)) or 'none'}."
    raise UsageError("unknown_context", f"there is no context {quoted(context)}.", hint)


@lru_cache(maxsize=16)
def _text(path: str) -> str:
    return (files("graphwright.agents.upgrade") / path).read_text(encoding="utf-8").strip()
