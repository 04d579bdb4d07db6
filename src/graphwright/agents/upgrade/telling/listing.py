"""Lists and details as replies: contexts and what they know, experiments, one experiment whole, terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.checks.transitions import MEANING, spoken, state_of
from graphwright.agents.upgrade.checks.weighing import number_text
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.requests.resolving import Option
from graphwright.agents.upgrade.telling.knowing import Term, schema_of
from graphwright.agents.upgrade.words.places import Contexts
from graphwright.agents.upgrade.words.quoting import one_line, quoted

MOST_LINES = 20
"""Lines of a list; how many more there are is said behind it."""

_LONGEST_NAME = 80
_LONGEST_DESCRIPTION = 200
_Item = TypeVar("_Item")


def bounded(items: Sequence[_Item], most: int = MOST_LINES) -> tuple[Sequence[_Item], int]:
    """At most so many items, and how many are left out."""
    return items[:most], max(0, len(items) - most)


def lines_of(head: str, items: Sequence[str], most: int = MOST_LINES) -> str:
    """A heading and a list below it, bounded."""
    shown, more = bounded(items, most)
    return "\n".join([head, *(f"- {item}" for item in shown), *([f"... and {more:,} more"] if more else [])])


def contexts_reply(contexts: Contexts) -> str:
    """All contexts, and how much each knows."""
    if not contexts:
        return "The server has no contexts. One that has just started may not be ready yet: ask again in a moment."
    items = []
    for name, known in contexts.items():
        counts = [(len(known.get(kind, ())), word) for kind, word in _KINDS]
        items.append(f"{quoted(name)}: {', '.join(_many(count, word) for count, word in counts)}")
    return lines_of(f"There {'is 1 context' if len(items) == 1 else f'are {len(items):,} contexts'}:", items)


_KINDS = (("conditions", "condition"), ("sites", "site"), ("targets", "target"), ("group_types", "group type"))


def conditions_reply(context: str, codes: Sequence[str]) -> str:
    """The condition codes of a context."""
    return _known_reply("conditions", context, codes)


def group_types_reply(context: str, types: Sequence[str]) -> str:
    """The types of groups of a context."""
    return _known_reply("group types", context, types)


def decision_points_reply(context: str, sites: Sequence[str], targets: Sequence[str]) -> str:
    """The sites and targets of a context."""
    if not sites and not targets:
        return f"The context {quoted(context)} knows no decision points."
    sites_part = lines_of(f"Sites of the context {quoted(context)}:", [quoted(site) for site in sites])
    targets_part = lines_of("Targets:", [quoted(target) for target in targets])
    return f"{sites_part}\n{targets_part}\nA decision point is a site and a target."


def _known_reply(what: str, context: str, values: Sequence[str]) -> str:
    if not values:
        return f"The context {quoted(context)} knows no {what}."
    head = f"The context {quoted(context)} knows {len(values):,} {what if len(values) > 1 else what.rstrip('s')}:"
    return lines_of(head, [quoted(value) for value in values])


def _inline(values: Sequence[str]) -> str:
    shown, more = bounded(list(values), 12)
    return (", ".join(quoted(value) for value in shown) + (f" and {more:,} more" if more else "")) or "none"


def experiments_reply(options: Sequence[Option], *, where: str = "", within: Sequence[str] = ()) -> str:
    """Experiments, numbered, so that "the second one" can be said; `where` says of what kind they are ("running"),
    `within` of which contexts."""
    kind = f"{where} " if where else ""
    place = f" in {' and '.join(quoted(each) for each in within)}" if within else ""
    if not options:
        return f"There are no {kind}experiments{place}."
    shown, more = bounded(options)
    lines = [f"There {'is' if len(options) == 1 else 'are'} {_many(len(options), f'{kind}experiment')}{place}:"]
    lines += [f"{place}. {option_line(option)}" for place, option in enumerate(shown, 1)]
    if more:
        lines.append(f"... and {more:,} more. Say a name to see one of them.")
    return "\n".join(lines)


def option_line(option: Option) -> str:
    """An experiment in a line: `'Math Hints' ('assign-prog', inactive, id 5f914ce4)`."""
    state = state_of(option.state)
    told = [
        quoted(option.context, 60) if option.context else "",
        spoken(state) if state else "",
        f"at {quoted(option.at, 60)}" if option.at else "",
        f"id {option.short_id}" if option.short_id else "",
    ]
    known = ", ".join(each for each in told if each)
    return f"{quoted(option.name, _LONGEST_NAME)}{f' ({known})' if known else ''}"


def details_reply(facts: Facts, enrolled: Mapping[str, int] | None = None) -> str:
    """One experiment whole. `enrolled` counts enrolled users, `users`, and may count `groups` and `excluded`."""
    state = State(facts["state"])
    lines = [
        f"Experiment {quoted(facts['name'], _LONGEST_NAME)}",
        f"- State: {spoken(state)}: {MEANING[state]}",
        f"- Context: {quoted(facts['context'])}",
        f"- Conditions: {_weighted(facts)}",
        f"- Decision points: {_points(facts)}",
        f"- Assigned: {_unit(facts)}",
        f"- Who takes part: {_filter(facts)}",
        f"- Once it is stopped: {_afterwards(facts)}",
    ]
    if facts["tags"]:
        lines.append(f"- Tags: {_inline(facts['tags'])}")
    if facts["description"].strip():
        # It is the text of whoever wrote it, and says nothing in the agent's name.
        lines.append(f"- Its description reads: {quoted(facts['description'], _LONGEST_DESCRIPTION)}")
    if enrolled is not None:
        parts = [_many(enrolled.get("users", 0), "user")]
        parts += [_many(enrolled["groups"], "group")] if enrolled.get("groups") else []
        parts += [f"{enrolled['excluded']:,} excluded"] if enrolled.get("excluded") else []
        lines.append(f"- Enrolled: {', '.join(parts)}")
    lines.append(f"- Id: {facts['experiment_id']}")
    return "\n".join(lines)


def _weighted(facts: Facts) -> str:
    shown, more = bounded(facts["conditions"], 12)
    parts = [f"{quoted(each['code'], 60)} {number_text(each['weight'])} %" for each in shown]
    return (", ".join(parts) + (f" and {more:,} more" if more else "")) or "none"


def _points(facts: Facts) -> str:
    shown, more = bounded(facts["decision_points"], 12)
    parts = [
        point_text(each) + (" (excludes who was there before)" if each["exclude_if_reached"] else "") for each in shown
    ]
    return (", ".join(parts) + (f" and {more:,} more" if more else "")) or "none"


def point_text(point: Mapping[str, Any]) -> str:
    """A decision point: `'site/target'`."""
    return quoted(f"{point.get('site', '')}/{point.get('target', '')}")


def _unit(facts: Facts) -> str:
    unit = f"groups of the type {quoted(facts['group'])}" if facts["unit"] == "group" else "single users"
    return f"{unit}, consistency rule {one_line(facts['consistency'], 20)}"


def _filter(facts: Facts) -> str:
    listed = (
        "only those on the inclusion list" if facts["filter_mode"] == "excludeAll" else "all but the exclusion list"
    )
    counts = [
        f"{name}: {', '.join(_many(count, word) for count, word in _members(facts[side]) if count)}"  # type: ignore[literal-required]
        for side, name in (("include", "included"), ("exclude", "excluded"))
        if any(count for count, _ in _members(facts[side]))  # type: ignore[literal-required]
    ]
    return "; ".join([listed, *counts])


def _members(side: Mapping[str, int]) -> list[tuple[int, str]]:
    return [(side["users"], "user"), (side["groups"], "group"), (side["segments"], "segment")]


def _afterwards(facts: Facts) -> str:
    if facts["post_rule"] == "assign":
        given = f"the condition {quoted(facts['revert_to'])}" if facts["revert_to"] else "the default"
        return f"those enrolled get {given}"
    return "those enrolled keep their condition" if facts["post_rule"] == "continue" else "everybody gets the default"


def terms_reply(terms: Sequence[Term]) -> str:
    """What terms mean."""
    return "\n".join(f"{', '.join(term.names)}: {term.text}" for term in terms[:6])


def states_reply(states: Sequence[tuple[str, State]]) -> str:
    """What states mean, each with the word that stands for it."""
    lines = [f"{spoken(state)}: {MEANING[state]}." for _, state in states]
    return "\n".join(
        line if state.value.casefold() == word else f"{word}: {line}"
        for line, (word, state) in zip(lines, states, strict=True)
    )


def schema_reply(action: str) -> str:
    """What an action takes, as text for people."""
    _title, _, text = schema_of(action).partition("\n")
    return f"This is what {action.replace('_', ' ')} takes.\n{text.strip()}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
