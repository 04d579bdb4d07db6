"""The cases of the UpGrade agent: what must come of them on the server, as cases.yaml has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from eval.cases import Case, Outcome
from eval.reading import checked, read_named, read_yaml
from eval.upgrade.worlds import Design, Person, Traits, World
from graphwright.errors import UsageError


class Crowd(BaseModel):
    """Made-up users, and in how many groups they are where groups are assigned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: int = Field(gt=0)
    groups: int = Field(1, gt=0)


class Wish(Outcome):
    """What must come of a case; what it does not name stays as it was.

    `create` lists new experiments whole, `change` maps handles to what they then are, `delete` lists handles. `users`
    are made known or get other groups. `marks` maps handles to the users who visit, `simulate` to a crowd that does,
    and is enrolled.
    """

    create: tuple[Design, ...] = ()
    change: Mapping[str, Traits] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()
    users: Mapping[str, Person] = Field(default_factory=dict)
    marks: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    simulate: Mapping[str, Crowd] = Field(default_factory=dict)

    @property
    def writes(self) -> bool:
        """Whether anything is to be written."""
        return any((self.create, self.change, self.delete, self.users, self.marks, self.simulate))

    def people(self) -> set[str]:
        """The users that are named."""
        return {*self.users, *(user for users in self.marks.values() for user in users)}

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
                same = [field for field in sorted(traits.fields) if getattr(design, field) == getattr(traits, field)]
                yield from (f"change {handle}: {field} is {getattr(design, field)!r} already" for field in same)
        for user in self.people() - {*world.users, *self.users}:
            yield f"there is no user {user}"
        if self.refuse and self.writes:
            yield "nothing may be written where the agent must refuse"


class Request(Case):
    """A case of the UpGrade agent, on a server that holds one of the worlds."""

    world: str
    expect: Wish


def read_requests(folder: Path) -> list[tuple[Request, World]]:
    """The cases in `folder`, each with its world. Raises UsageError naming what cannot be read, or cannot be."""
    file, places = folder / "cases.yaml", folder / "worlds.yaml"
    requests = read_named(Request, file)
    worlds = checked(dict[str, World], read_yaml(places), places) if requests else {}
    found = []
    for request in requests:
        if request.world not in worlds:
            flaws = [f"there is no world {request.world!r}"]
        else:
            found.append((request, worlds[request.world]))
            flaws = [*worlds[request.world].flaws(), *request.expect.flaws(worlds[request.world])]
        if flaws:
            raise UsageError("bad_case", f"{file}: {request.id}: {flaws[0]}", "Mend the file.")
    return found
