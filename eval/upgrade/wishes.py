"""What must come of a case: what is made, changed and deleted, and what a reply names; as cases.yaml has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from eval.answers import Answer
from eval.upgrade.worlds import Design, Person, Traits, World

LIST_FIELDS = {"include", "exclude"}
"""Traits that are changed by calls of their own, list by list."""


class Crowd(BaseModel):
    """Made-up users, and in how many groups they are where groups are assigned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: int = Field(gt=0)
    groups: int = Field(1, gt=0)


class Wish(BaseModel):
    """One acceptable outcome; what it does not name stays as it was.

    `create` lists new experiments whole, `change` maps handles to what they then are, `delete` lists handles. `users`
    are made known or get other groups. `marks` maps handles to the users who visit, `simulate` to a crowd that does,
    and is enrolled. With `refuse` nothing may be written, and a reply must refuse or ask; with `asked`
    the user must have been asked something; `proposed: false` forbids so much as a confirmation. `says` is a pattern
    that some reply must hold.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    create: tuple[Design, ...] = ()
    change: Mapping[str, Traits] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()
    users: Mapping[str, Person] = Field(default_factory=dict)
    marks: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    simulate: Mapping[str, Crowd] = Field(default_factory=dict)
    answer: Answer = Field(default_factory=Answer)
    refuse: bool = False
    asked: bool = False
    proposed: bool = True
    says: str = ""

    @property
    def writes(self) -> bool:
        """Whether anything is to be written."""
        return any((self.create, self.change, self.delete, self.users, self.marks, self.simulate))

    def flaws(self, world: World) -> Iterable[str]:
        """What cannot come of a case in this world, in words."""
        for design in self.create:
            yield from (f"create {design.name}: {flaw}" for flaw in world.misfits(design))
        for handle in (*self.change, *self.delete, *self.marks, *self.simulate):
            if handle not in world.experiments:
                yield f"there is no experiment {handle}"
        for handle, traits in self.change.items():
            if handle in world.experiments:
                design = world.experiments[handle]
                yield from (f"change {handle}: {flaw}" for flaw in world.misfits(traits, design.context))
                yield from (
                    f"change {handle}: {field} is {getattr(design, field)!r} already"
                    for field in sorted(traits.fields)
                    if getattr(design, field) == getattr(traits, field)
                )
        for user in {user for users in self.marks.values() for user in users}:
            if user not in {**world.users, **self.users}:
                yield f"there is no user {user}"
        if self.refuse and self.writes:
            yield "nothing may be written where the agent must refuse"

    def deeds(self) -> set[Deed]:
        """What is to be done; of made-up users as ANYBODY. A write that none of these names was not asked for."""
        done = {(MADE_KNOWN, user) for user in self.users}
        for design in self.create:
            done |= _of(design.name, design, {CREATED, CHANGED})
        for handle, traits in self.change.items():
            done |= _of(handle, traits, {CHANGED} if traits.fields - LIST_FIELDS - {"state"} else set())
        done |= {(DELETED, handle) for handle in self.delete}
        done |= {(MARKED, user) for users in self.marks.values() for user in users}
        return done | ({(MADE_KNOWN, ANYBODY), (MARKED, ANYBODY)} if self.simulate else set())

    def people(self) -> set[str]:
        """The users that are named."""
        return {*self.users, *(user for users in self.marks.values() for user in users)}


Deed: TypeAlias = tuple[str, str]
"""What is done to what: to a handle, the name of a new experiment, or a user."""

CREATED, CHANGED, DELETED = "created", "changed", "deleted"
LIST_CHANGED, LIST_DELETED = "changed a list of", "deleted a list of"
MADE_KNOWN, MARKED = "made known", "marked"

ANYBODY = "a made-up user"
"""A user whom neither the case nor its world names."""


def set_to(state: str) -> str:
    """The deed of changing a state."""
    return f"set to {state}:"


def _of(what: str, traits: Traits, done: set[str]) -> set[Deed]:
    if traits.fields & LIST_FIELDS:
        done = done | {LIST_CHANGED, LIST_DELETED}
    if "state" in traits.fields:
        done = done | {set_to(traits.state.value)}
    return {(each, what) for each in done}
