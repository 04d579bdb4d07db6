"""A client for UpGrade servers: the calls, in one vocabulary for all versions from 6.0 on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Literal, Self, TypeVar, cast
from uuid import UUID

import httpx
from pydantic import TypeAdapter, ValidationError

from graphwright_upgrade.client import _dialects as dialects
from graphwright_upgrade.client import _drafts as drafts
from graphwright_upgrade.client import _failures as failures
from graphwright_upgrade.client._dialects import Dialect, Member, members_of
from graphwright_upgrade.client._drafts import ExperimentChanges, ExperimentDraft, ListDraft, Side
from graphwright_upgrade.client._experiment import (
    Aliases,
    Assignment,
    ContextMetadata,
    Enrollment,
    EnrollmentDetail,
    Experiment,
    ExperimentName,
    ExperimentPage,
    Health,
    Mark,
    State,
    User,
    UserList,
)
from graphwright_upgrade.client._failures import Invalid, NotConfirmed, NotFound, ServerFailed
from graphwright_upgrade.client._settings import Token
from graphwright_upgrade.client._wire import Call, Wire

Status = Literal["condition applied", "condition not applied", "no condition assigned"]

_LOOKS = 20
_LISTS_PAUSE = 0.1

_T = TypeVar("_T")


class UpgradeClient:
    """One server. `base` ends in `/api`; `where` is what messages call the server, and `host` what it is called where
    there is little room; `place` is its address, or the file of the service that comes with Graphwright, which it is
    where `local` says so.

    `admin` signs in on admin routes, `client` on client routes; `seconds` is what one request may take, tries included
    (six times as long where a whole experiment goes over the wire).
    All calls raise UpgradeError. Calls that read are tried again when a connection breaks or the server is busy; calls
    that write only when nothing was sent.
    """

    def __init__(
        self,
        base: str,
        where: str = "",
        *,
        place: str = "",
        transport: httpx.AsyncBaseTransport | None = None,
        admin: Token | None = None,
        client: Token | None = None,
        seconds: float = 30.0,
        local: bool = False,
    ) -> None:
        self.where = where or f"the UpGrade server at {base}"
        self.host = where or base.partition("://")[2].removesuffix("/api")
        self.local = local
        self.place = place or base
        self.admin = admin
        self._wire = Wire(base, self.where, transport=transport, admin=admin, client=client, seconds=seconds)
        self._dialect: Dialect | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.close()

    # The server

    async def health(self) -> Health:
        """The server and its version. Needs no token. Raises BadAnswer (`not_upgrade`, `unsupported_version`)."""
        call = Call("GET", "")
        found = self._as(Health, await self._wire.send(call), call, code="not_upgrade")
        self._dialect = dialects.dialect_of(found.version)
        if self._dialect is None:
            raise self._wire.bad_answer(call, f"version {found.version[:40]!r}", "unsupported_version")
        return found

    async def version(self) -> str:
        """The version alone. Unlike `health` it needs a token, and so shows whether the server accepts ours."""
        return await self._ask(str, Call("GET", "/version"))

    async def contexts(self) -> dict[str, ContextMetadata]:
        """The contexts that the server is configured with, by name; names are case-sensitive."""
        call = Call("GET", "/experiments/contextMetaData")
        data = await self._wire.send(call)
        inner = data.get("contextMetadata") if isinstance(data, dict) else data
        return self._as(dict[str, ContextMetadata], inner, call)

    async def global_segments(self) -> tuple[UserList, ...]:
        """The users and groups excluded from all experiments, one list for each context.

        Empty for a server that has just started and is not ready.
        """
        return await self._ask(tuple[UserList, ...], Call("GET", "/segments/global"))

    # Reading experiments

    async def names(self) -> tuple[ExperimentName, ...]:
        """Ids and names of all experiments. Names are not unique."""
        return await self._ask(tuple[ExperimentName, ...], Call("GET", "/experiments/names"))

    async def experiments(self) -> tuple[Experiment, ...]:
        """All experiments, whole."""
        return await self._ask(tuple[Experiment, ...], Call("GET", "/experiments", long=True))

    async def page(self, take: int = 20, *, context: str | None = None) -> ExperimentPage:
        """The `take` experiments, of all contexts or of one, that were changed last, and how many there are."""
        body: dict[str, Any] = {"skip": 0, "take": take, "sortParams": {"key": "updatedAt", "sortAs": "DESC"}}
        if context is not None:
            body["searchParams"] = {"key": "context", "string": context}
        return await self._ask(ExperimentPage, Call("POST", "/experiments/paginated", body))

    async def experiment(self, id: str) -> Experiment:
        """One experiment. Raises NotFound, and Invalid (`bad_id`) if the id is not a UUID."""
        return (await self._read(id))[1]

    # Writing experiments

    async def create(self, draft: ExperimentDraft) -> Experiment:
        """Create an experiment; return it as the server stores it, with new ids. Servers check little of a draft.

        Raises Invalid (`exists`) if the draft's id is already used: a server would merge both, and lose the name and
        state of the old one. Raises NotConfirmed when it was made but its lists do not appear.
        """
        body = drafts.new_body(draft) | dialects.lists_of_new(draft, await self._speaks())
        if draft.id is not None:
            await self._require_free(draft.id)
        call = Call("POST", "/experiments", body, writes=True, long=True)
        made = self._as(ExperimentName, await self._wire.send(call), call)
        with failures.after(f"The experiment {draft.name} was created as {made.id}."):
            return await self._with_lists(made.id, draft)

    async def _require_free(self, id: str) -> None:
        try:
            there = await self.experiment(id)
        except NotFound:
            return
        hint = "Leave the id out, or change the experiment that is there."
        raise Invalid("exists", f"The id {there.id} belongs to the experiment {there.name} already.", hint)

    async def update(self, id: str, changes: ExperimentChanges) -> Experiment:
        """Change an experiment. Return it as stored by the server. Raises NotFound.

        The experiment is read, changed and written whole: what somebody else changes in between is lost.
        """
        before, _ = await self._read(id)
        return await self._put(id, drafts.changed_body(before, changes))

    async def set_state(self, id: str, state: State) -> Experiment:
        """Change the state. Return the experiment as stored by the server. Raises NotFound.

        Servers refuse no transition, however little sense it makes.
        """
        # For an unknown id the server answers 500.
        await self.experiment(id)
        body = {"experimentId": id, "state": State(state).value}
        await self._wire.send(Call("POST", "/experiments/state", body, writes=True))
        with failures.after(f"The state of the experiment {id} was changed to {State(state).value}."):
            return await self.experiment(id)

    async def delete(self, id: str) -> None:
        """Delete an experiment with its enrolments and lists; records of visits stay. Raises NotFound."""
        await self._wire.send(Call("DELETE", f"/experiments/{_uuid(id)}", writes=True, long=True))

    # Lists

    async def put_on(self, experiment: Experiment, side: Side, members: Sequence[ListDraft]) -> Experiment:
        """Add the members that no list of a side has yet. Returns the changed experiment. Raises NotFound.

        They are added as new lists, so that concurrent changes of other lists are not lost; on servers up to 6.2 they
        are added to the only list of the side.
        """
        if await self._speaks() is Dialect.UP_TO_6_2:
            return await self._put_list(
                experiment.id, side, lambda there: [*dict.fromkeys(there + members_of(members))]
            )
        # For an unknown id the server answers 500.
        now = await self.experiment(experiment.id)
        there = set(members_of(now.lists(side)))
        for draft in members:
            new = tuple(id for id in draft.members if (draft.kind, id) not in there)
            if new:
                body = dialects.list_body(draft.model_copy(update={"members": new}), now.context)
                call = Call("POST", f"/experiments/{side}List", {"experimentId": now.id, "list": body}, writes=True)
                await self._wire.send(call)
        return await self.experiment(experiment.id)

    async def take_off(
        self, experiment: Experiment, side: Side, members: Sequence[ListDraft], *, everybody: bool = False
    ) -> Experiment:
        """Remove members, or all members, from every list of a side. Returns the changed experiment. Raises NotFound.

        An empty list is deleted; on servers up to 6.2 it remains.
        """
        gone = set(members_of(members))
        if await self._speaks() is Dialect.UP_TO_6_2:
            return await self._put_list(
                experiment.id, side, lambda there: [] if everybody else [each for each in there if each not in gone]
            )
        for each in experiment.lists(side):
            left = each.without(gone)
            path = f"/experiments/{side}List/{_uuid(each.id)}"
            if everybody or (left.empty and not each.empty):
                await self._wire.send(Call("DELETE", path, writes=True))
            elif left != each:
                body = {"experimentId": experiment.id, "list": dialects.list_body(left, experiment.context)}
                await self._wire.send(Call("PUT", path, body, writes=True))
        return await self.experiment(experiment.id)

    # Users

    async def init(
        self,
        user: str,
        groups: Mapping[str, Sequence[str]] | None = None,
        working_groups: Mapping[str, str] | None = None,
    ) -> User:
        """Make a user known; groups that are given replace those that are stored, None leaves them.

        Another working group can take the user out of the experiments of the old one.
        """
        body: dict[str, Any] = {}
        if groups is not None:
            body["group"] = {type: list(ids) for type, ids in groups.items()}
        if working_groups is not None:
            body["workingGroup"] = dict(working_groups)
        return await self._ask(User, Call("POST", "/v6/init", body, writes=True, user=user))

    async def set_groups(self, user: str, groups: Mapping[str, Sequence[str]]) -> User:
        """Replace the groups of a user, by type; gives these alone. Raises NotFound (`unknown_user`)."""
        body = {"group": {type: list(ids) for type, ids in groups.items()}}
        return await self._ask(User, Call("PATCH", "/v6/groupmembership", body, writes=True, user=user))

    async def set_working_groups(self, user: str, working_groups: Mapping[str, str]) -> User:
        """Replace the groups in which a user works, one a type; gives these alone. Raises NotFound (`unknown_user`).

        Another working group can take the user out of the experiments of the old one.
        """
        body = {"workingGroup": dict(working_groups)}
        return await self._ask(User, Call("PATCH", "/v6/workinggroup", body, writes=True, user=user))

    async def set_aliases(self, user: str, aliases: Sequence[str]) -> Aliases:
        """Give a user further ids, which identify the same user in requests. Raises NotFound (`unknown_user`)."""
        body = {"aliases": list(aliases)}
        return await self._ask(Aliases, Call("PATCH", "/v6/useraliases", body, writes=True, user=user))

    async def assign(
        self, user: str, context: str, site: str | None = None, target: str | None = None
    ) -> tuple[Assignment, ...]:
        """The assignments of a user in a context, one for each decision point; none means the default condition. Enrols
        no user.

        Raises NotFound (`unknown_user`) and Invalid (`unknown_context`).
        """
        found = await self._ask(tuple[Assignment, ...], Call("POST", "/v6/assign", {"context": context}, user=user))
        # The server takes no notice of them.
        return tuple(each for each in found if site in (None, each.site) and target in (None, each.target))

    async def mark(
        self,
        user: str,
        site: str,
        target: str,
        *,
        code: str | None = None,
        experiment_id: str | None = None,
        status: Status = "condition applied",
    ) -> Mark:
        """Record a visit, which may enrol the user, or exclude it for good.

        Name the experiment: else the server takes any that has this decision point.

        The server computes the condition itself; `code` is only checked to exist. Raises NotFound (`unknown_user`) and
        Invalid for an unknown condition.
        """
        condition = {"conditionCode": code or None, "experimentId": experiment_id}
        given = {name: value for name, value in condition.items() if value is not None}
        data = {"site": site, "target": target, **({"assignedCondition": given} if given else {})}
        return await self._ask(Mark, Call("POST", "/v6/mark", {"data": data, "status": status}, writes=True, user=user))

    async def enrollment(self, id: str) -> EnrollmentDetail:
        """How many are enrolled in an experiment, by condition, and how many are excluded. Raises NotFound."""
        call = Call("POST", "/stats/enrollment/detail", {"experimentId": _uuid(id)})
        try:
            return await self._ask(EnrollmentDetail, call)
        except (NotFound, ServerFailed):
            # For an unknown id servers answer 500, ours 404 without the id: reading the experiment says it in both.
            with suppress(ServerFailed):
                await self.experiment(id)
            raise

    async def enrollments(self, ids: Sequence[str]) -> list[Enrollment]:
        """How many are enrolled in each of these experiments, in one request."""
        call = Call("POST", "/stats/enrollment", {"experimentIds": [_uuid(id) for id in ids]})
        return await self._ask(list[Enrollment], call) if ids else []

    # How it is done

    async def _ask(self, kind: type[_T], call: Call) -> _T:
        return self._as(kind, await self._wire.send(call), call)

    def _as(self, kind: type[_T], data: Any, call: Call, code: str = "bad_answer") -> _T:
        try:
            checked: _T = _adapter(cast(Any, kind)).validate_python(data)
            return checked
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            why = f"{place}: {first['msg']}" if place else first["msg"]
            raise self._wire.bad_answer(call, why, code) from None

    async def _speaks(self) -> Dialect:
        """How the server wants to be spoken to; asked once."""
        if self._dialect is None:
            await self.health()
        assert self._dialect is not None
        return self._dialect

    async def _read(self, id: str) -> tuple[dict[str, Any], Experiment]:
        """An experiment as the server answers it, and as it is read."""
        call = Call("GET", f"/experiments/single/{_uuid(id)}", long=True)
        data = await self._wire.send(call)
        return data, self._as(Experiment, data, call)

    async def _put(self, id: str, body: dict[str, Any]) -> Experiment:
        await self._speaks()
        await self._wire.send(Call("PUT", f"/experiments/{_uuid(id)}", body, writes=True, long=True))
        with failures.after(f"The experiment {id} was changed."):
            return await self.experiment(id)

    async def _put_list(self, id: str, side: Side, change: Callable[[list[Member]], list[Member]]) -> Experiment:
        """Change who is on the only list that a side has on servers up to 6.2."""
        before, found = await self._read(id)
        there = members_of(found.lists(side))
        after = change(there)
        return found if after == there else await self._put(id, dialects.body_with_list(before, side, after))

    async def _with_lists(self, id: str, draft: ExperimentDraft) -> Experiment:
        """The new experiment, once its lists are there: a server saves some of them after its answer."""
        expected = [len(members_of(lists)) for lists in (draft.inclusions, draft.exclusions)]
        for _ in range(_LOOKS):
            found = await self.experiment(id)
            there = [len(members_of(lists)) for lists in (found.inclusions, found.exclusions)]
            if all(has >= wanted for has, wanted in zip(there, expected, strict=True)):
                return found
            await asyncio.sleep(_LISTS_PAUSE)
        raise NotConfirmed("not_confirmed", f"{self.where} does not show all of its lists.")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    # Creating it takes longer than most answers.
    return TypeAdapter(kind)


def _uuid(id: str) -> str:
    try:
        return str(UUID(id))
    except (ValueError, AttributeError, TypeError):
        hint = "Ids look like 5f914ce4-fa5c-48d7-99f5-853426a27082; a name is not an id."
        raise Invalid("bad_id", f"{id!r} is not the id of an experiment or a list.", hint) from None
