"""`graphwright upgrade`: read from an UpGrade server without a model, simulate users, and run the local service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import columns, confirmed, facts, next_table, note, print_line, result, result_json
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import UsageError
from graphwright.text.near_names import nearest
from graphwright.text.sentences import bounded, many, one_line, quoted

if TYPE_CHECKING:
    from graphwright_upgrade.client._calls import UpgradeClient
    from graphwright_upgrade.client._experiment import EnrollmentDetail, Experiment, UserList
    from graphwright_upgrade.client._simulating import Simulation

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)


@app.callback(no_args_is_help=True)
def upgrade(debug: Debug = False) -> None:
    """Read the experiments of an UpGrade server, or run the local service that replaces one.

    The server is the one in UPGRADE_API_URL, else the local service on its database in the data folder. These commands
    change no experiment; simulate adds users to one.
    """


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 takes a free one.")] = 3030,
    contexts: Annotated[
        Path | None, typer.Option("--contexts", metavar="FILE", help="The contexts, as YAML or JSON.")
    ] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Keep the database in memory only.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Reproduce the faults of the real server, too.")] = False,
    debug: Debug = False,
) -> None:
    """Run the local UpGrade service, for this machine only, until Ctrl-C."""
    from graphwright.extras import extra_problem
    from graphwright.store.home import data_home
    from graphwright_upgrade.client._connecting import database_file, own_contexts

    if missing := extra_problem("upgrade"):
        raise missing
    from graphwright_upgrade_server.failures import ServiceError
    from graphwright_upgrade_server.serving import Options, announcement, serve

    home = data_home()
    file = None if memory else database_file(home)
    options = Options(file, contexts or own_contexts(home), port=port, strict=strict)
    try:
        serve(options, lambda address: note(announcement(options, address)))
    except ServiceError as error:
        raise UsageError(error.code, error.message, error.hint) from error


@app.command()
def status(as_json: Json = False, debug: Debug = False) -> None:
    """Show the server, whether it is ready and accepts the sign-in, and the number of its experiments."""

    async def look(client: UpgradeClient) -> None:
        health = await client.health()
        known: dict[str, Any] = {
            "server": client.place,
            "local": client.local,
            "name": health.name,
            "version": health.version,
            "sign_in": client.admin.name if client.admin else "none",
            "ready": bool(await client.global_segments()),
            "contexts": sorted(await client.contexts()),
            "experiments": len(await client.names()),
        }
        if as_json:
            result_json(known)
            return
        known["ready"] = "yes" if known["ready"] else "no: it has not finished starting"
        known["contexts"] = ", ".join(known["contexts"]) or "none"
        _facts([(name.replace("_", "-"), str(known[name])) for name in list(known)[2:]])

    _ask(look, as_json)


@app.command()
def contexts(as_json: Json = False, debug: Debug = False) -> None:
    """List the contexts of the server, with their sites, targets, condition codes and group types."""

    async def look(client: UpgradeClient) -> None:
        found = await client.contexts()
        if as_json:
            result_json({name: context.model_dump(mode="json") for name, context in found.items()})
            return
        for name, context in sorted(found.items()):
            rows = {"sites": context.sites, "targets": context.targets, "conditions": context.conditions}
            rows["groups"] = context.group_types
            print_line((name, "bold"))
            _facts([(f"  {heading}", ", ".join(values) or "-") for heading, values in rows.items()])
        if not found:
            note("The server has no contexts.")

    _ask(look, as_json)


@app.command()
def experiments(
    context: Annotated[
        str | None, typer.Option("--context", metavar="C", help="Only experiments of this context.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The largest number of experiments.")] = 50,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List the experiments of the server, the most recently changed first."""

    async def look(client: UpgradeClient) -> None:
        if context is not None:
            _check_context(context, await client.contexts())
        page = await client.page(limit, context=context)
        found = page.experiments
        if as_json:
            result_json({"total": page.total, "experiments": [each.model_dump(mode="json") for each in found]})
            return
        if not found:
            note("There are no experiments." if context is None else f"There are no experiments of {context}.")
            return
        columns([(e.name, e.state.value, e.context, e.id) for e in found], ("NAME", "STATE", "CONTEXT", "ID"))
        if page.total > len(found):
            note(f"{page.total - len(found):,} more: --limit shows more.")

    _ask(look, as_json)


@app.command()
def show(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="The id or the name of an experiment.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show one experiment: its design, lists, history and enrolment counts."""

    async def look(client: UpgradeClient) -> None:
        found = await client.experiment(await _id_of(client, experiment))
        counts = await client.enrollment(found.id)
        if as_json:
            result_json({**found.model_dump(mode="json"), "enrollment": counts.model_dump(mode="json")})
        else:
            _show(found, counts)

    _ask(look, as_json)


@app.command()
def assign(
    user: Annotated[str, typer.Argument(metavar="USER", help="The id of a user that the server knows.")],
    context: Annotated[str, typer.Option("--context", metavar="C", help="The context of the request.")],
    site: Annotated[str | None, typer.Option("--site", metavar="S", help="Only at this site.")] = None,
    target: Annotated[str | None, typer.Option("--target", metavar="T", help="Only for this target.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the conditions that a user gets in a context. It does not enrol the user."""

    async def look(client: UpgradeClient) -> None:
        from graphwright_upgrade.client._failures import Unauthorized

        found = await client.assign(user, context, site, target)
        if as_json:
            result_json({"user": user, "context": context, "assignments": [a.model_dump(mode="json") for a in found]})
            return
        if not found:
            note(f"{user} is assigned nothing here: the app does what it does by default.")
            return
        names: dict[str, str] = {}
        # Credentials for the requests of an app may not include access to experiments.
        with suppress(Unauthorized):
            names = {each.id: each.name for each in await client.names()}
        pairs = [(each, condition) for each in found for condition in each.conditions]
        rows = [(e.site, e.target, c.code, names.get(c.experiment_id, c.experiment_id)) for e, c in pairs]
        columns(rows, ("SITE", "TARGET", "CONDITION", "EXPERIMENT"))

    _ask(look, as_json)


@app.command()
def simulate(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="The id or the name of an experiment.")],
    users: Annotated[int, typer.Option("--users", metavar="N", help="The number of users, 1 to 10,000.")],
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups", metavar="N", help="Spread them over this many groups, if the experiment assigns groups."
        ),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Enrol simulated users in a running experiment, and compare their conditions with the weights.

    They are enrolled like real users, and stay: their ids begin with `sim-`. On any other server than the local service
    you are asked first.
    """

    async def look(client: UpgradeClient) -> None:
        from graphwright_upgrade.client._simulating import fit, simulate, verdict

        found = await client.experiment(await _id_of(client, experiment))
        fit(found, users, groups)
        what = f"{many(users, 'user')} in experiment {quoted(found.name)} on {client.host}"
        question = f"Simulate {what}? They are enrolled like real users, and stay for good."
        if not confirmed(question, f"Simulating {what}", "No users were simulated.", yes=yes or client.local):
            return
        done = await simulate(client, found, users, groups)
        if as_json:
            result_json(done.to_json())
            return
        _split(done)
        result()
        result(verdict(done))

    _ask(look, as_json)


def _split(done: Simulation) -> None:
    ids = f"sim-{done.run}-0001" + (f" to sim-{done.run}-{done.users:04d}" if done.users > 1 else "")
    where = "" if done.groups is None else f" in {many(done.groups, 'group')}"
    _facts([("experiment", done.name), ("simulated", f"{many(done.users, 'user')}{where}: {ids}")])
    result()
    grouped = done.assigned_groups is not None
    left_out = done.unassigned_groups if grouped else done.unassigned
    counts = {**done.tested, **({"the default": left_out} if left_out else {})}
    whole, total = sum(max(weight, 0) for weight in done.expected.values()), sum(counts.values())
    rows = []
    for code, count in counts.items():
        weight = done.expected.get(code, 0.0)
        shares = f"{100 * count / total:.1f} %", f"{100 * max(weight, 0) / whole:.1f} %"
        rows.append((code, f"{weight:g} %", f"{count:,}", *shares))
    columns(rows, ("CONDITION", "WEIGHT", "GROUPS" if grouped else "USERS", "SHARE", "EXPECTED"))


def _ask(look: Callable[[UpgradeClient], Awaitable[None]], as_json: bool) -> None:
    """Run `look` with a client of the server, named on stderr. Errors of the request are raised as UsageError."""
    import asyncio

    from graphwright.store.home import data_home
    from graphwright_upgrade.client._connecting import connect
    from graphwright_upgrade.client._failures import Invalid, LocalServiceFailed, NotFound
    from graphwright_upgrade.client._settings import UpgradeSettings

    settings = UpgradeSettings.from_environment()

    async def run() -> None:
        async with connect(settings, data_home()) as client:
            note((f"{'the local service' if client.local else 'UpGrade server'} · {client.place}", "dim"))
            await look(client)

    try:
        asyncio.run(run())
    except (NotFound, Invalid, LocalServiceFailed) as error:
        # The request names something missing or invalid, or a file of the user is invalid.
        raise UsageError(error.code, error.message, error.hint) from error


async def _id_of(client: UpgradeClient, wanted: str) -> str:
    """Return the id of the experiment with this id or name, exact case preferred. Raises UsageError."""
    from uuid import UUID

    try:
        return str(UUID(wanted))
    except ValueError:
        pass
    names = await client.names()
    found = [each for each in names if each.name.strip().casefold() == wanted.strip().casefold()]
    found = [each for each in found if each.name == wanted] or found
    if len(found) == 1:
        return found[0].id
    if not found:
        near = nearest(wanted, [each.name for each in names])
        told = f"Did you mean {' or '.join(map(repr, near))}?" if near else "See: graphwright upgrade experiments"
        raise UsageError("not_found", f"There is no experiment called {wanted!r}.", told)
    ids = bounded([each.id for each in found], _MOST_NAMED)
    raise UsageError(
        "ambiguous", f"{len(found)} experiments are called {found[0].name!r}: {ids}.", "Name one by its id."
    )


def _check_context(context: str, contexts: Any) -> None:
    if context not in contexts:
        hint = f"There are: {', '.join(sorted(contexts))}." if contexts else "The server has none."
        raise UsageError("unknown_context", f"There is no context {context!r}.", hint)


_MOST_NAMED = 10
_MOST_MEMBERS = 5


def _show(found: Experiment, counts: EnrollmentDetail) -> None:
    unit = f"{found.assignment_unit} ({found.group})" if found.group else found.assignment_unit
    everybody = "takes part unless excluded" if found.filter_mode == "includeAll" else "is out unless included"
    _facts(
        [
            ("experiment", found.name),
            ("id", found.id),
            ("description", one_line(found.description, 10_000) or "-"),
            ("context", found.context),
            ("state", found.state.value),
            ("unit", f"{unit}, consistency {found.consistency_rule}"),
            ("everybody", everybody),
            ("afterwards", found.post_experiment_rule),
            ("enrolled", f"{many(counts.users, 'user')}, {many(counts.groups, 'group')}"),
            ("excluded", f"{many(counts.users_excluded, 'user')}, {many(counts.groups_excluded, 'group')}"),
        ]
    )
    enrolled = {each.id: each.users for each in counts.conditions}
    next_table(
        [(each.code, f"{each.weight:g} %", f"{enrolled.get(each.id, 0):,}", each.id) for each in found.conditions],
        ("CONDITION", "WEIGHT", "USERS", "ID"),
    )
    next_table([(point.site, point.target or "-") for point in found.decision_points], ("SITE", "TARGET"))
    lists = [*(("included", each) for each in found.inclusions), *(("excluded", each) for each in found.exclusions)]
    next_table(
        [(side, each.name, _members(each)) for side, each in lists if not each.empty], ("LIST", "NAME", "MEMBERS")
    )
    changes = [(f"{each.time:%Y-%m-%d %H:%M}", f"{each.before} -> {each.after}") for each in found.state_changes]
    next_table(changes, ("TIME", "STATE"))


def _members(found: UserList) -> str:
    groups = [f"{group.type} {group.id}" for group in found.groups]
    return bounded([*found.users, *groups, *found.segments], _MOST_MEMBERS)


def _facts(rows: Sequence[tuple[str, Any]]) -> None:
    facts(rows, max(len(name) for name, _ in rows) + 2)
