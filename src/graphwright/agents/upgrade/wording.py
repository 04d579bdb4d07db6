"""How names, numbers, states and designs are written in the agent's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.client.experiment import DISPLAY_NAMES, State

_MOST = 12

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
CONSISTENCIES = {
    "individual": "a user keeps the condition",
    "group": "a group keeps the condition",
    "experiment": "the experiment decides anew for those who are not enrolled",
}
FILTER_MODES = {"includeAll": "everybody takes part unless excluded", "excludeAll": "only the included take part"}
SIDES = {"include": "inclusion", "exclude": "exclusion", "uninclude": "inclusion", "unexclude": "exclusion"}


def one_line(text: object, longest: int = 100) -> str:
    """The text without line breaks and control characters, cut to `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def quoted(text: object, longest: int = 100) -> str:
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
    return _bounded([quoted(text) for text in texts], most)


def number_text(number: float) -> str:
    """A weight as people write it: 50, 33.34."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def many(count: int, what: str) -> str:
    """A number of things: `1 user`, `1,200 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def spoken(state: State | str) -> str:
    """A state in both vocabularies: `enrolling ("running" on UpGrade's screens)`."""
    screen = next((name for name, each in DISPLAY_NAMES.items() if each == state), "")
    return f'{State(state).value} ("{screen}" on UpGrade\'s screens)' if screen else State(state).value


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


def group_names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Groups with their types: `schoolId north`."""
    return [f"{each['type']} {each['id']}" for each in groups]


def _bounded(shown: list[str], most: int = _MOST) -> str:
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more
