"""The cases of the UpGrade agent: the expected changes on the server, as in cases.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from eval.cases import Case, Outcome
from eval.reading import checked, read_cases, read_yaml
from eval.upgrade.worlds import Design, Person, Traits, World
from graphwright.errors import UsageError


class Crowd(BaseModel):
    """Simulated users, and their number of groups if groups are assigned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: int = Field(gt=0)
    groups: int = Field(1, gt=0)


class Wish(Outcome):
    """The expected outcome of a case; everything that it does not name stays unchanged.

    `create` lists complete new experiments, `change` maps handles to the changed traits, `delete` lists handles.
    `users` are registered or get other groups. `marks` maps handles to the users who visit, `simulate` to a crowd that
    visits and is enrolled.
    """

    create: tuple[Design, ...] = ()
    change: Mapping[str, Traits] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()
    users: Mapping[str, Person] = Field(default_factory=dict)
    marks: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    simulate: Mapping[str, Crowd] = Field(default_factory=dict)

    @property
    def writes(self) -> bool:
        """Whether anything must be written."""
        return any((self.create, self.change, self.delete, self.users, self.marks, self.simulate))

    def people(self) -> set[str]:
        """The named users."""
        return {*self.users, *(user for users in self.marks.values() for user in users)}

    def flaws(self, world: World) -> Iterable[str]:
        """The impossible outcomes in this world, in words."""
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
    """A case of the UpGrade agent, on a server with one of the worlds."""

    world: str
    expect: Wish


def read_requests(folder: Path) -> list[tuple[Request, World]]:
    """The cases in `folder`, each with its world. Raises UsageError for unreadable or impossible ones."""
    file, places = folder / "cases.yaml", folder / "worlds.yaml"
    requests = read_cases(Request, file)
    worlds = checked(dict[str, World], read_yaml(places), places) if requests else {}
    found = []
    for request in requests:
        if request.world not in worlds:
            flaws = [f"there is no world {request.world!r}"]
        else:
            found.append((request, worlds[request.world]))
            flaws = [*worlds[request.world].flaws(), *request.expect.flaws(worlds[request.world])]
        if flaws:
            raise UsageError("bad_case", f"{file}: {request.id}: {flaws[0]}", "Correct the file.")
    return found
