"""What must come of a goal: changes of the graph, and what the answer names. As it is written in goals.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eval.answers import Answer
from eval.graph_editor.graphs import State, gone_with, named, require_ends
from eval.values import same
from graphwright.graphstore.elements import Change

EVERYTHING = "*"


class Wish(BaseModel):
    """One acceptable outcome. Elements are written as `Label/key`, or `Label/key TYPE Label/key`.

    `create` maps them to all their properties, `update` to those that change (null: removed), `delete` lists them, or
    all by `*`; the edges of a node go with it. A value may be `{one_of: [...]}`. With `refuse` nothing may be changed,
    and the reply must refuse or ask; with `asked` the user must have been asked. `says` is a pattern that some reply
    must hold.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    create: dict[str, dict[str, Any]] = Field(default_factory=dict)
    update: dict[str, dict[str, Any]] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()
    answer: Answer = Field(default_factory=Answer)
    refuse: bool = False
    asked: bool = False
    says: str = ""


def changed(state: State, wish: Wish) -> State:
    """The state after the changes of a wish; the properties of an element may hold `{one_of: [...]}`.

    Raises ValueError for a change that cannot be made, or that changes nothing.
    """
    after = dict(state)
    for name in wish.delete:
        if name == EVERYTHING:
            after.clear()
            continue
        identity = named(name).identity
        if identity not in after:
            raise ValueError(f"{name} cannot be deleted: it is not there")
        for gone in gone_with(after, identity):
            del after[gone]
    for name, properties in wish.create.items():
        made = named(name, properties)
        if made.identity in after:
            raise ValueError(f"{name} cannot be created: it is there")
        after[made.identity] = made
    for name, properties in wish.update.items():
        identity = named(name).identity
        if identity not in after:
            raise ValueError(f"{name} cannot be updated: it is not there")
        old = after[identity].properties
        for key, value in properties.items():
            if same(value, old.get(key)):
                raise ValueError(f"{name}: {key} is {value!r} already")
        merged = {key: value for key, value in {**old, **properties}.items() if value is not None}
        after[identity] = replace(after[identity], properties=merged)
    require_ends(after)
    return after


def differs(wanted: State, found: State) -> list[str]:
    """How a state differs from the one wanted, in words; empty when it does not."""
    told = []
    for identity in sorted({**wanted, **found}):
        want, got = wanted.get(identity), found.get(identity)
        if want is None and got is not None:
            told.append(f"{got.name} should not be there")
        elif want is not None and got is None:
            told.append(f"{want.name} is missing")
        elif want is not None and got is not None:
            told += [
                f"{want.name}: {key} is {got.properties.get(key)!r} instead of {want.properties.get(key)!r}"
                for key in sorted({**want.properties, **got.properties})
                if not same(want.properties.get(key), got.properties.get(key))
            ]
    return told


def covers(before: State, wanted: State, change: Change) -> bool:
    """Whether a change leads from `before` towards the state `wanted`: it does nothing that was not asked for."""
    identity = change.element.identity
    want = wanted.get(identity)
    if change.after is None:
        return identity in before and want is None
    if want is None:
        return False
    old: Mapping[str, Any] = change.before.properties if change.before else {}
    new = change.after.properties
    return all(same(want.properties.get(key), new.get(key)) for key in {**old, **new} if old.get(key) != new.get(key))
