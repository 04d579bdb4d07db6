"""States of any world: things with fields, their differences, and the wanted changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from eval.values import same

State: TypeAlias = dict[str, dict[str, Any]]
"""The fields of each thing, by its name; all of it JSON. A wanted field may be `{one_of: [...]}`."""

Change: TypeAlias = dict[str, dict[str, Any] | None]
"""The new and changed things with their later fields; None for a deleted one."""


def change_between(before: State, after: State) -> Change:
    """The change from one state to the other."""
    return {thing: after.get(thing) for thing in {**before, **after} if before.get(thing) != after.get(thing)}


def changed(state: State, change: Change) -> State:
    """The state after a change."""
    merged = {**state, **change}
    return {thing: fields for thing, fields in merged.items() if fields is not None}


def differences(wanted: State, found: State) -> list[str]:
    """The differences between a state and the wanted one, in words; empty if there are none."""
    told = []
    for thing in [*wanted, *(each for each in found if each not in wanted)]:
        if thing not in found:
            told.append(f"{thing} is missing")
        elif thing not in wanted:
            told.append(f"{thing} should not be there")
        else:
            want, got = wanted[thing], found[thing]
            told += [
                f"{thing}: {field} is {got.get(field)!r} instead of {want.get(field)!r}"
                for field in {**want, **got}
                if not same(want.get(field), got.get(field))
            ]
    return told


def strays(before: State, after: State, wanted: State, blank: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The fields that change between two states to unwanted values, each with its thing.

    Empty if all changes are wanted. The field is empty for a thing that should not exist, or should not be deleted.
    `blank` are the initial fields of a new thing.
    """
    found = []
    for thing in change_between(before, after):
        was, then, want = before.get(thing, blank), after.get(thing), wanted.get(thing)
        if (then is None) != (want is None):
            found.append((thing, ""))
        elif then is not None and want is not None:
            fields = [field for field in {**was, **then} if _strays(was.get(field), then.get(field), want.get(field))]
            found += [(thing, field) for field in fields]
    return found


def _strays(was: Any, then: Any, want: Any) -> bool:
    if same(want, then) or same(was, then):
        return False
    if isinstance(then, Mapping) and isinstance(want, Mapping):
        old = was if isinstance(was, Mapping) else {}
        return any(_strays(old.get(key), then.get(key), want.get(key)) for key in {**old, **then})
    if _is_list(then) and _is_list(want):
        old = was if _is_list(was) else []
        return any(each not in want for each in then if each not in old) or any(
            each in want for each in old if each not in then
        )
    return True


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
