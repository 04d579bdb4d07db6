"""How names, numbers, states and designs are written in the agent's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.client.experiment import DISPLAY_NAMES, State

_LONGEST = 100
_MOST = 12

SCREENS: Mapping[State, str] = {state: name for name, state in DISPLAY_NAMES.items()}
"""What UpGrade's own screens call the states that have another name there."""

MEANING: Mapping[State, str] = {
    State.INACTIVE: "not started yet, nobody gets a condition",
    State.SCHEDULED: "it starts by itself at its time",
    State.PREVIEW: "only preview users get conditions",
    State.ENROLLING: "users get conditions and are enrolled",
    State.ENROLLMENT_COMPLETE: "nobody new is enrolled; it can be resumed",
    State.CANCELLED: "over for good, nobody gets a condition from it",
    State.ARCHIVED: "over for good and filed away",
    State.DRAFT: "not finished yet, nobody gets a condition",
}

UNITS = {"individual": "each user is assigned", "group": "whole groups are assigned"}
CONSISTENCIES = {
    "individual": "a user keeps the condition",
    "group": "a group keeps the condition",
    "experiment": "the experiment decides anew for those who are not enrolled",
}
FILTER_MODES = {"includeAll": "everybody takes part unless excluded", "excludeAll": "only the included take part"}
SIDES = {"include": "inclusion", "exclude": "exclusion", "uninclude": "inclusion", "unexclude": "exclusion"}


def one_line(text: object, longest: int = _LONGEST) -> str:
    """The text without line breaks and control characters, cut to `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def quoted(text: object, longest: int = _LONGEST) -> str:
    """The same in single quotes, cut in its middle, because names that begin alike often differ at their ends.

    Quotes within become typographic apostrophes, so that a name cannot end before it does.
    """
    line = one_line(text, 1_000_000)
    if len(line) > longest:
        ending = longest * 2 // 5
        line = f"{line[: longest - 1 - ending].rstrip()}…{line[-ending:].lstrip()}"
    return f"'{line.replace(chr(39), '’')}'"


def listed(texts: Sequence[object], most: int = 8) -> str:
    """At most so many texts, quoted, and how many more there are: `'a', 'b' and 3 more`."""
    shown = ", ".join(quoted(text) for text in texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def number_text(number: float) -> str:
    """A weight as people write it: 50, 33.34."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def many(count: int, what: str) -> str:
    """A number of things: `1 user`, `1,200 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def spoken(state: State | str) -> str:
    """A state in both vocabularies: `enrolling ("running" on UpGrade's screens)`."""
    state = State(state)
    return f'{state.value} ("{SCREENS[state]}" on UpGrade\'s screens)' if state in SCREENS else state.value


def shares(conditions: Sequence[Mapping[str, Any]]) -> str:
    """Conditions with their weights: `control 50 %, hint 50 %`."""
    return _bounded([f"{one_line(each['code'], 60)} {number_text(each['weight'])} %" for each in conditions])


def places(points: Sequence[Mapping[str, Any]]) -> str:
    """Decision points: `site/target, site/target`."""
    return _bounded([place(each) for each in points]) or "none"


def place(point: Mapping[str, Any]) -> str:
    """One decision point, and whether it excludes who was there before."""
    before = " (excluding who was there before)" if point.get("exclude_if_reached") else ""
    return f"{one_line(point['site'], 60)}/{one_line(point['target'], 60)}{before}"


def members_text(members: Mapping[str, Any]) -> str:
    """Users and groups of a list: `users 'ann', groups 'schoolId north'`."""
    if members.get("all"):
        return "everybody on it"
    groups = [f"{each['type']} {each['id']}" for each in members.get("groups") or ()]
    users = list(members.get("users") or ())
    return ", ".join(f"{word} {listed(ids)}" for word, ids in (("users", users), ("groups", groups)) if ids)


def rule_text(rule: str, revert_to: str | None) -> str:
    """What those enrolled get once an experiment is stopped."""
    if rule == "assign":
        return (
            f"all who were enrolled get {quoted(revert_to)}" if revert_to else "all who were enrolled get the default"
        )
    return "those enrolled keep their condition" if rule == "continue" else "nobody gets a condition"


def _bounded(shown: list[str]) -> str:
    more = f" and {len(shown) - _MOST:,} more" if len(shown) > _MOST else ""
    return ", ".join(shown[:_MOST]) + more
