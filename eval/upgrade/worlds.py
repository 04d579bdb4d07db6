"""The initial worlds of cases: the content of a server, as written in worlds.yaml."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from graphwright_upgrade.client._experiment import State

_IDS = uuid.UUID("d2c3ac5e-3a3a-4f0e-9d2f-6f0b7c1d8a55")


def _a_point(value: str) -> str:
    site, slash, target = value.partition("/")
    if not (site and slash and target):
        raise ValueError(f"{value!r} is not SITE/TARGET")
    return value


Point = Annotated[str, AfterValidator(_a_point)]
"""A decision point, SITE/TARGET."""

Lists = Mapping[str, tuple[str, ...]]
"""The members of lists: ids of users (`individual`) or of groups, by kind."""


class Traits(BaseModel):
    """The description of an experiment in a case.

    `after` is the code that all users get after the end of enrolment, empty to continue; `only_listed` enrols only
    users on an inclusion list.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    context: str = ""
    description: str = ""
    state: State = State.INACTIVE
    conditions: Mapping[str, float] = Field(default_factory=dict)
    points: tuple[Point, ...] = ()
    unit: Literal["individual", "group"] = "individual"
    consistency: Literal["individual", "group", "experiment"] = "individual"
    group: str | None = None
    after: str = ""
    only_listed: bool = False
    tags: tuple[str, ...] = ()
    include: Lists = Field(default_factory=dict)
    exclude: Lists = Field(default_factory=dict)

    @property
    def fields(self) -> set[str]:
        """The names of the given fields."""
        return set(self.model_fields_set)


class Design(Traits):
    """A complete experiment."""

    name: str = Field(min_length=1)
    context: str = Field(min_length=1)
    conditions: Mapping[str, float] = Field(min_length=1)
    points: tuple[Point, ...] = Field(min_length=1)


class Person(BaseModel):
    """A user: its groups and its working groups, by kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    groups: Mapping[str, tuple[str, ...]] | None = None
    working: Mapping[str, str] | None = None


class World(BaseModel):
    """The content of a server. Experiments have separate handles, because names need not be unique.

    `visits` maps experiments to the users who visited their first points, in order, before the final state is set.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    contexts: Mapping[str, Mapping[str, list[str]]]
    experiments: Mapping[str, Design] = Field(default_factory=dict)
    users: Mapping[str, Person] = Field(default_factory=dict)
    visits: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    def id_of(self, handle: str) -> str:
        """The id of an experiment whenever this world is built, so that the same users get the same draws."""
        return str(uuid.uuid5(_IDS, handle))

    def handles(self) -> dict[str, str]:
        """The handles by id."""
        return {self.id_of(handle): handle for handle in self.experiments}

    def flaws(self) -> Iterable[str]:
        """The contradictions of the world, in words."""
        for handle, design in self.experiments.items():
            yield from (f"{handle}: {flaw}" for flaw in self.misfits(design))
        for handle, users in self.visits.items():
            if handle not in self.experiments:
                yield f"visits: there is no experiment {handle}"
            yield from (f"visits: there is no user {user}" for user in users if user not in self.users)

    def misfits(self, design: Traits, context: str = "") -> Iterable[str]:
        """The parts of a design that its context does not know, and weights that do not add up to 100."""
        known = self.contexts.get(design.context or context)
        if known is None:
            yield f"there is no context {design.context or context!r}"
            return
        yield from (f"there is no condition {code!r}" for code in design.conditions if code not in known["CONDITIONS"])
        for point in design.points:
            site, _, target = point.partition("/")
            if site not in known["EXP_POINTS"] or target not in known["EXP_IDS"]:
                yield f"there is no decision point {point!r}"
        if design.conditions and round(sum(design.conditions.values()), 6) != 100:
            yield "the weights do not add up to 100"
        for kind in (*design.include, *design.exclude, *filter(None, [design.group])):
            if kind not in (*known["GROUP_TYPES"], "individual"):
                yield f"there is no type of groups {kind!r}"
