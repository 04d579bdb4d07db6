"""A client for UpGrade servers: the calls, in one vocabulary for all versions from 6.0 on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast
from uuid import UUID

import httpx
from pydantic import TypeAdapter, ValidationError

from graphwright.agents.upgrade.client import dialects, failures
from graphwright.agents.upgrade.client.dialects import SIDES, Dialect, dialect_of, drafts_of, list_body, members
from graphwright.agents.upgrade.client.drafts import ExperimentChanges, ExperimentDraft, ListDraft, Side
from graphwright.agents.upgrade.client.experiment import Experiment, ExperimentName, ExperimentPage, State, UserList
from graphwright.agents.upgrade.client.failures import Invalid, NotConfirmed, NotFound, ServerFailed
from graphwright.agents.upgrade.client.people import (
    Aliases,
    Assignment,
    ContextMetadata,
    EnrollmentCount,
    EnrollmentDetail,
    Health,
    Mark,
    User,
    UserExclusion,
)
from graphwright.agents.upgrade.client.tokens import Token
from graphwright.agents.upgrade.client.wire import Call, Wire

Status = Literal["condition applied", "condition not applied", "no condition assigned"]
SearchKey = Literal["all", "name", "status", "tag", "context", "id"]
SortKey = Literal["name", "state", "updatedAt", "postExperimentRule"]

_LOOKS = 20
_LISTS_PAUSE = 0.1

_MEMBER_SQUARED = 3.0 / 100**2
"""Seconds: lists of 50 included and 50 excluded users took about three, 200 and 200 more than thirty."""

_T = TypeVar("_T")


class UpgradeClient:
    """One server. `base` ends in `/api`; `where` is what messages call the server, and `host` what it is called where
    there is little room; `place` is its address, or the file of the service that comes with Graphwright, which it is
    where `local` says so.

    `admin` signs in on admin routes, `client` on client routes; `seconds` is what one request may take, tries included
    (six times as long where a whole experiment goes over the wire), and `patience` what it may take as long as an
    earlier one had no answer in time.
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
        patience: float | None = None,
        local: bool = False,
    ) -> None:
        self.where = where or f"the UpGrade server at {base}"
        self.host = where or base.partition("://")[2].removesuffix("/api")
        self.local = local
        self.place = place or base
        self.admin = admin
        self._wire = Wire(
            base, self.where, transport=transport, admin=admin, client=client, seconds=seconds, patience=patience
        )
        self._dialect: Dialect | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    # The server

    async def health(self) -> Health:
        """Who answers, and its version. Needs no token. Raises BadAnswer (`not_upgrade`, `unsupported_version`)."""
        call = Call("GET", "")
        found = self._as(Health, await self._wire.send(call), call, code="not_upgrade")
        dialect = dialect_of(found.version)
        if dialect is None:
            raise self._wire.bad_answer(call, f"version {found.version[:40]!r}", "unsupported_version")
        self._dialect = dialect
        return found

    async def dialect(self) -> Dialect:
        """How the server wants to be spoken to; asked once."""
        if self._dialect is None:
            await self.health()
        assert self._dialect is not None
        return self._dialect

    async def version(self) -> str:
        """The version alone; an admin route, so it fails where the token is not accepted."""
        return await self._get(str, "/version")

    async def contexts(self) -> dict[str, ContextMetadata]:
        """What the server is configured with, by the names of the contexts, which are case-sensitive."""
        call = Call("GET", "/experiments/contextMetaData")
        data = await self._wire.send(call)
        inner = data.get("contextMetadata") if isinstance(data, dict) else data
        return self._as(dict[str, ContextMetadata], inner, call)

    async def global_segments(self) -> tuple[UserList, ...]:
        """Who takes part in no experiment, one list a context. A server that has just started has none yet: it is not
        ready, and knows no context."""
        return await self._get(tuple[UserList, ...], "/segments/global")

    def expected_seconds(self, members: int) -> float:
        """About how long making, reading or deleting an experiment takes whose lists have so many members together.

        Measured on a server of version 6.4.10, where it grows with the square. The local service takes no time for it.
        """
        return 0.0 if self.local else 0.3 + _MEMBER_SQUARED * members**2

    # Reading experiments

    async def names(self) -> tuple[ExperimentName, ...]:
        """Ids and names of all experiments. Names are not unique."""
        return await self._get(tuple[ExperimentName, ...], "/experiments/names")

    async def experiments(self) -> tuple[Experiment, ...]:
        """All experiments, whole."""
        return await self._ask(tuple[Experiment, ...], Call("GET", "/experiments", long=True))

    async def page(
        self,
        skip: int = 0,
        take: int = 20,
        *,
        search: tuple[SearchKey, str] | None = None,
        sort: tuple[SortKey, Literal["ASC", "DESC"]] | None = None,
    ) -> ExperimentPage:
        """`take` experiments after the first `skip` that fit the search; an empty text fits all. Raises Invalid
        (`bad_id`) for an id to search for that is none."""
        body: dict[str, Any] = {"skip": skip, "take": take}
        # Servers refuse an empty text, and give everything for an id that is none.
        if search is not None and search[0] == "id":
            search = "id", _uuid(search[1])
        if search is not None and search[1]:
            body["searchParams"] = {"key": search[0], "string": search[1]}
        if sort is not None:
            body["sortParams"] = {"key": sort[0], "sortAs": sort[1]}
        return await self._ask(ExperimentPage, Call("POST", "/experiments/paginated", body))

    async def experiment(self, id: str) -> Experiment:
        """One experiment. Raises NotFound, and Invalid (`bad_id`) for what is no UUID."""
        call = _single(id)
        with self._naming(id):
            return self._as(Experiment, await self._wire.send(call), call)

    # Writing experiments

    async def create(self, draft: ExperimentDraft) -> Experiment:
        """Make an experiment; gives it as the server then has it, with its own ids. Servers check little of a draft.

        Raises Invalid (`exists`) where the draft's id is taken: a server would merge both, and lose the name and state
        of the old one. Raises NotConfirmed when it was made but its lists do not appear.
        """
        dialect = await self.dialect()
        if draft.id is not None:
            await self._require_free(draft.id)
        call = Call("POST", "/experiments", dialects.new_body(draft, dialect), writes=True, long=True)
        made = self._as(ExperimentName, await self._wire.send(call), call)
        with failures.after(f"The experiment {draft.name} was created as {made.id}."):
            return await self._with_lists(made.id, draft)

    async def _require_free(self, id: str) -> None:
        try:
            there = await self.experiment(id)
        except NotFound:
            return
        hint = "Leave the id out, or change the experiment that is there."
        raise Invalid("exists", f"the id {there.id} belongs to the experiment {there.name} already.", hint)

    async def update(self, id: str, changes: ExperimentChanges) -> Experiment:
        """Change an experiment; gives it as the server then has it. Raises NotFound.

        The experiment is read, changed and written whole: what somebody else changes in between is lost.
        """
        single = _single(id)
        with self._naming(id):
            before = await self._wire.send(single)
        self._as(Experiment, before, single)
        await self._put(id, dialects.changed_body(before, changes))
        with failures.after(f"The experiment {id} was changed."):
            return await self.experiment(id)

    async def set_state(self, id: str, state: State) -> Experiment:
        """Change the state; gives the experiment as the server then has it. Raises NotFound.

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
        with self._naming(id):
            await self._wire.send(Call("DELETE", f"/experiments/{_uuid(id)}", writes=True, long=True))

    # Lists

    async def add_list(self, id: str, side: Side, draft: ListDraft) -> UserList:
        """Add a list to an experiment; on servers up to 6.2, its members to the only list of that side.

        Raises NotFound.
        """
        experiment = await self.experiment(id)
        if (await self.dialect()).list_calls:
            call = Call("POST", f"/experiments/{side}List", _list_of(experiment, draft), writes=True)
            return self._as(UserList, await self._wire.send(call), call)
        return await self._through_put(id, side, [*_all_of(experiment, side), draft])

    async def replace_list(self, id: str, side: Side, list_id: str, draft: ListDraft, *others: ListDraft) -> UserList:
        """Replace the members of a list, and its name where the draft has one. Raises NotFound.

        `others` are members of other kinds, which only the mixed lists of servers up to 6.2 have.
        """
        experiment = await self.experiment(id)
        old = await self._list(experiment, side, list_id)
        if (await self.dialect()).list_calls:
            path = f"/experiments/{side}List/{_uuid(list_id)}"
            call = Call("PUT", path, _list_of(experiment, draft, old), writes=True)
            return self._as(UserList, await self._wire.send(call), call)
        return await self._through_put(id, side, [draft, *others])

    async def delete_list(self, id: str, side: Side, list_id: str) -> None:
        """Delete a list; on servers up to 6.2, empty it. Raises NotFound."""
        if (await self.dialect()).list_calls:
            await self._wire.send(Call("DELETE", f"/experiments/{side}List/{_uuid(list_id)}", writes=True))
            return
        await self._list(await self.experiment(id), side, list_id)
        await self._through_put(id, side, [])

    async def put_on(self, experiment: Experiment, side: Side, drafts: Sequence[ListDraft]) -> Experiment:
        """Add those members that no list of a side has yet; gives the experiment as it then is. Raises NotFound."""
        there = {(draft.kind, member) for draft in _all_of(experiment, side) for member in draft.members}
        for draft in drafts:
            new = tuple(member for member in draft.members if (draft.kind, member) not in there)
            # A list of its own: what somebody else changes in the others at this moment is not lost.
            if new:
                await self.add_list(experiment.id, side, draft.model_copy(update={"members": new}))
        return await self.experiment(experiment.id)

    async def take_off(
        self, experiment: Experiment, side: Side, drafts: Sequence[ListDraft], *, everybody: bool = False
    ) -> Experiment:
        """Take members, or everybody, off every list of a side; gives the experiment as it then is. Raises NotFound.

        A list on which nobody is left is deleted.
        """
        gone = {(draft.kind, member) for draft in drafts for member in draft.members}
        for each in experiment.lists(side):
            there = drafts_of(each)
            left = [
                draft.model_copy(update={"members": tuple(m for m in draft.members if (draft.kind, m) not in gone)})
                for draft in there
            ]
            kept = [draft for draft in left if draft.members]
            if everybody or (there and not kept):
                await self.delete_list(experiment.id, side, each.id)
            elif kept != [*there]:
                await self.replace_list(experiment.id, side, each.id, *kept)
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
            body["group"] = _lists(groups)
        if working_groups is not None:
            body["workingGroup"] = dict(working_groups)
        return await self._ask(User, Call("POST", "/v6/init", body, writes=True, user=user))

    async def set_groups(self, user: str, groups: Mapping[str, Sequence[str]]) -> User:
        """Replace the groups of a user. Raises NotFound (`unknown_user`)."""
        body = {"group": _lists(groups)}
        return await self._ask(User, Call("PATCH", "/v6/groupmembership", body, writes=True, user=user))

    async def set_working_groups(self, user: str, working_groups: Mapping[str, str]) -> User:
        """Replace the groups in which a user works. Raises NotFound (`unknown_user`)."""
        body = {"workingGroup": dict(working_groups)}
        return await self._ask(User, Call("PATCH", "/v6/workinggroup", body, writes=True, user=user))

    async def set_aliases(self, user: str, aliases: Sequence[str]) -> Aliases:
        """Give a user other ids. Raises NotFound (`unknown_user`)."""
        body = {"aliases": list(aliases)}
        return await self._ask(Aliases, Call("PATCH", "/v6/useraliases", body, writes=True, user=user))

    async def assign(
        self, user: str, context: str, site: str | None = None, target: str | None = None
    ) -> tuple[Assignment, ...]:
        """What a user is assigned in a context, one a decision point; none means the default condition. Enrols nobody.

        Raises NotFound (`unknown_user`) and Invalid (`unknown_context`).
        """
        call = Call("POST", "/v6/assign", {"context": context}, user=user)
        found = self._as(tuple[Assignment, ...], await self._wire.send(call), call)
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
        uniquifier: str | None = None,
        client_error: str | None = None,
    ) -> Mark:
        """Record a visit, which may enrol the user, or exclude it for good.

        Name the experiment: else the server takes any that has this decision point.

        The server computes the condition itself; `code` is only checked to exist. Raises NotFound (`unknown_user`) and
        Invalid (`unknown_condition`).
        """
        condition = {"conditionCode": code or None, "experimentId": experiment_id}
        given = {name: value for name, value in condition.items() if value is not None}
        data = {"site": site, "target": target, **({"assignedCondition": given} if given else {})}
        more = {"uniquifier": uniquifier, "clientError": client_error}
        body = {"data": data, "status": status, **{name: value for name, value in more.items() if value is not None}}
        return await self._ask(Mark, Call("POST", "/v6/mark", body, writes=True, user=user))

    # Counts

    async def enrollment(self, id: str) -> EnrollmentDetail:
        """How many are enrolled in an experiment, by condition and decision point, and how many are excluded.

        Raises NotFound.
        """
        call = Call("POST", "/stats/enrollment/detail", {"experimentId": _uuid(id)})
        try:
            return await self._ask(EnrollmentDetail, call)
        except ServerFailed:
            # What servers answer for an unknown id as well.
            await self.experiment(id)
            raise

    async def enrollments(self, ids: Sequence[str]) -> tuple[EnrollmentCount, ...]:
        """How many are enrolled in each of the experiments. Raises NotFound where a server fails at an unknown id."""
        wanted = [_uuid(id) for id in ids]
        try:
            call = Call("POST", "/stats/enrollment", {"experimentIds": wanted})
            return await self._ask(tuple[EnrollmentCount, ...], call)
        except ServerFailed:
            there = {each.id for each in await self.names()}
            missing = [id for id in wanted if id not in there]
            if missing:
                raise NotFound("not_found", f"{self.where} has no experiment {missing[0]}.") from None
            raise

    async def exclusions(self) -> tuple[UserExclusion, ...]:
        """Every user whom an experiment takes no more, and why."""
        return await self._get(tuple[UserExclusion, ...], "/check/individualExclusion")

    # How it is done

    async def _get(self, kind: type[_T], path: str) -> _T:
        return await self._ask(kind, Call("GET", path))

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

    @contextmanager
    def _naming(self, id: str) -> Iterator[None]:
        """Inside, what is not found is the experiment."""
        try:
            yield
        except NotFound as error:
            raise NotFound("not_found", f"{self.where} has no experiment {id}.", status=error.status) from error

    async def _put(self, id: str, body: dict[str, Any]) -> None:
        await self._wire.send(Call("PUT", f"/experiments/{_uuid(id)}", body, writes=True, long=True))

    async def _with_lists(self, id: str, draft: ExperimentDraft) -> Experiment:
        """The new experiment, once its lists are there: a server saves some of them after its answer."""
        expected = [sum(bool(each.members) for each in lists) for lists in (draft.inclusions, draft.exclusions)]
        if not (await self.dialect()).list_calls:
            expected = [min(number, 1) for number in expected]
        for _ in range(_LOOKS):
            found = await self.experiment(id)
            there = [sum(not each.empty for each in lists) for lists in (found.inclusions, found.exclusions)]
            if all(has >= wanted for has, wanted in zip(there, expected, strict=True)):
                return found
            await asyncio.sleep(_LISTS_PAUSE)
        raise NotConfirmed("not_confirmed", f"{self.where} does not show all of its lists.")

    async def _list(self, experiment: Experiment, side: Side, list_id: str) -> UserList:
        """A list of an experiment. An experiment asked for alone may leave out lists that are mixed or empty."""
        for found in experiment.lists(side):
            if found.id == list_id:
                return found
        for other in await self.experiments():
            for found in other.lists(side) if other.id == experiment.id else ():
                if found.id == list_id:
                    return found
        raise NotFound("not_found", f"the experiment {experiment.name} has no {side} list {list_id}.")

    async def _through_put(self, id: str, side: Side, drafts: Sequence[ListDraft]) -> UserList:
        body = dialects.changed_body(await self._wire.send(_single(id)), ExperimentChanges())
        field = SIDES[side]
        segment = (body.get(field) or {}).get("segment") or {"type": "private"}
        body[field] = {**(body.get(field) or {}), "segment": {**segment, **members(drafts)}}
        await self._put(id, body)
        with failures.after(f"The {side} list of the experiment {id} was changed."):
            lists = (await self.experiment(id)).lists(side)
            if not lists:
                raise NotConfirmed("not_confirmed", f"{self.where} does not show the list.")
            return lists[0]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    # Made anew it takes longer than most answers.
    return TypeAdapter(kind)


def _single(id: str) -> Call:
    return Call("GET", f"/experiments/single/{_uuid(id)}", long=True)


def _uuid(id: str) -> str:
    try:
        return str(UUID(id))
    except (ValueError, AttributeError, TypeError):
        hint = "Ids look like 5f914ce4-fa5c-48d7-99f5-853426a27082; a name is no id."
        raise Invalid("bad_id", f"{id!r} is not the id of an experiment or a list.", hint) from None


def _lists(groups: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {type: list(ids) for type, ids in groups.items()}


def _list_of(experiment: Experiment, draft: ListDraft, old: UserList | None = None) -> dict[str, Any]:
    return {"experimentId": experiment.id, "list": list_body(draft, experiment.context, old)}


def _all_of(experiment: Experiment, side: Side) -> tuple[ListDraft, ...]:
    return tuple(draft for each in experiment.lists(side) for draft in drafts_of(each))
