"""`graphwright upgrade`: look at an UpGrade server without a model, simulate users, and run the local service."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.console import columns, confirmed, facts, next_table, note, result, result_json, shown, terminal
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import UsageError
from graphwright.text.sentences import bounded, many, one_line, quoted

if TYPE_CHECKING:
    from graphwright.agents.upgrade.client.calls import UpgradeClient
    from graphwright.agents.upgrade.client.experiment import EnrollmentDetail, Experiment, ExperimentName, UserList
    from graphwright.agents.upgrade.client.simulating import Simulation

app = typer.Typer(rich_markup_mode=None)


@app.callback(no_args_is_help=True)
def upgrade(debug: Debug = False) -> None:
    """Look at the experiments of an UpGrade server, or run the local service that stands in for one.

    The server is the one that UPGRADE_API_URL names, else the local service on its database in the data folder. Nothing
    here changes an experiment; simulate adds users to one.
    """


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 takes a free one.")] = 3030,
    contexts: Annotated[
        Path | None, typer.Option("--contexts", metavar="FILE", help="The contexts, as YAML or JSON.")
    ] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Keep nothing: the database is in memory.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="With the flaws of the real server, too.")] = False,
    debug: Debug = False,
) -> None:
    """Run the local UpGrade service, for this machine alone, until Ctrl-C."""
    from graphwright.agents.upgrade.client.connecting import database_file, own_contexts
    from graphwright.store.home import data_home
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
    """Which server it is, whether it answers and accepts the sign-in, and how many experiments it has."""

    async def look(client: UpgradeClient) -> None:
        health = await client.health()
        contexts = await client.contexts()
        experiments = await client.names()
        ready = bool(await client.global_segments())
        known = {
            "server": client.place,
            "local": client.local,
            "name": health.name,
            "version": health.version,
            "sign_in": client.admin.name if client.admin else "none",
            "ready": ready,
            "contexts": sorted(contexts),
            "experiments": len(experiments),
        }
        if as_json:
            result_json(known)
            return
        rows = (
            ("name", health.name or "-"),
            ("version", health.version),
            ("sign-in", str(known["sign_in"])),
            ("ready", "yes" if ready else "no: it has not finished starting"),
            ("contexts", ", ".join(sorted(contexts)) or "none"),
            ("experiments", f"{len(experiments):,}"),
        )
        _facts(rows)

    _ask(look, as_json)


@app.command()
def contexts(as_json: Json = False, debug: Debug = False) -> None:
    """The contexts of the server: the sites, targets, condition codes and types of groups that each one knows."""

    async def look(client: UpgradeClient) -> None:
        found = await client.contexts()
        if as_json:
            result_json({name: context.model_dump(mode="json") for name, context in found.items()})
            return
        for number, (name, context) in enumerate(sorted(found.items())):
            if number:
                result()
            shown((name, "bold"))
            known = {"sites": context.sites, "targets": context.targets, "conditions": context.conditions}
            known["groups"] = context.group_types
            _facts([(f"  {heading}", ", ".join(values) or "-") for heading, values in known.items()])
        if not found:
            note("The server has no contexts.")

    _ask(look, as_json)


@app.command()
def experiments(
    context: Annotated[str | None, typer.Option("--context", metavar="C", help="Only those of this context.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The most to list.")] = 50,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """The experiments of the server, the one last changed first."""

    async def look(client: UpgradeClient) -> None:
        if context is not None:
            _known(context, await client.contexts())
        page = await client.page(limit, context=context)
        found = page.experiments
        if as_json:
            result_json({"total": page.total, "experiments": [each.model_dump(mode="json") for each in found]})
            return
        if found:
            rows = [(each.name, each.state.value, each.context, each.id) for each in found]
            columns(rows, ("NAME", "STATE", "CONTEXT", "ID"))
        else:
            note("There are no experiments." if context is None else f"There are no experiments of {context}.")
        if page.total > len(found):
            note(f"{page.total - len(found):,} more: --limit shows more.")

    _ask(look, as_json)


@app.command()
def show(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="The id or the name of an experiment.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """One experiment: its design, lists and history, and how many are enrolled."""

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
    context: Annotated[str, typer.Option("--context", metavar="C", help="The context that asks.")],
    site: Annotated[str | None, typer.Option("--site", metavar="S", help="Only at this site.")] = None,
    target: Annotated[str | None, typer.Option("--target", metavar="T", help="Only for this target.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Which conditions a user gets in a context. It only looks: nobody is enrolled by it."""

    async def look(client: UpgradeClient) -> None:
        from graphwright.agents.upgrade.client.failures import Unauthorized

        found = await client.assign(user, context, site, target)
        if as_json:
            result_json({"user": user, "context": context, "assignments": [a.model_dump(mode="json") for a in found]})
            return
        if not found:
            note(f"{user} is assigned nothing here: the app does what it does by default.")
            return
        names: dict[str, str] = {}
        # Who may ask as an app does need not be one who may see experiments.
        with suppress(Unauthorized):
            names = {each.id: each.name for each in await client.names()}
        rows = [
            (each.site, each.target, condition.code, names.get(condition.experiment_id, condition.experiment_id))
            for each in found
            for condition in each.conditions
        ]
        columns(rows, ("SITE", "TARGET", "CONDITION", "EXPERIMENT"))

    _ask(look, as_json)


@app.command()
def simulate(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="The id or the name of an experiment.")],
    users: Annotated[int, typer.Option("--users", metavar="N", help="How many users come.")],
    groups: Annotated[
        int | None,
        typer.Option("--groups", metavar="N", help="Spread them over so many groups, if groups are assigned."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write a picture (SVG) here.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture.")] = False,
    yes: Yes = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Let simulated users come to a running experiment, and compare what they get with the weights.

    They are enrolled like real users, and stay: their ids begin with `sim-`. On any other server than the local service
    you are asked first.
    """

    async def look(client: UpgradeClient) -> None:
        from graphwright.agents.upgrade.client.simulating import fit, simulate, verdict

        if out is not None and out.exists() and not force:
            raise UsageError("file_exists", f"The file {out} is there already.", "Choose another name, or add --force.")
        if out is not None and not out.absolute().parent.is_dir():
            raise UsageError("no_folder", f"There is no folder {out.absolute().parent}.", "Make it first.")
        found = await client.experiment(await _id_of(client, experiment))
        fit(found, users, groups)
        what = f"{many(users, 'user')} in experiment {quoted(found.name)} on {client.host}"
        question = f"Simulate {what}? They are enrolled like real users, and stay for good."
        if not confirmed(question, f"Simulating {what}", "Nobody was simulated.", yes=yes or client.local):
            return
        with _counted(users) as count:
            done = await simulate(client, found, users, groups, on_progress=count)
        if out is not None:
            from graphwright.cli.simulation_picture import svg

            out.write_text(svg(done), "utf-8")
            note(f"The picture is in {out}.")
        if as_json:
            result_json(done.to_json())
            return
        _split(done)
        result()
        result(verdict(done))

    _ask(look, as_json)


def _split(done: Simulation) -> None:
    ids = f"sim-{done.run}-0001" + (f" to sim-{done.run}-{done.users:04d}" if done.users > 1 else "")
    grouped = "" if done.groups is None else f" in {many(done.groups, 'group')}"
    _facts([("experiment", done.name), ("simulated", f"{many(done.users, 'user')}{grouped}: {ids}")])
    result()
    whole = sum(max(weight, 0) for weight in done.expected.values())
    groups = done.assigned_groups

    def row(name: str, weight: str, users: int, of_groups: int, expected: str) -> tuple[str, ...]:
        counts = [users] if groups is None else [of_groups, users]
        return name, weight, *(f"{count:,}" for count in counts), f"{100 * users / done.users:.1f} %", expected

    rows = [
        row(
            code,
            f"{weight:g} %",
            done.assigned[code],
            (groups or {}).get(code, 0),
            f"{100 * max(weight, 0) / whole:.1f} %",
        )
        for code, weight in done.expected.items()
    ]
    if done.unassigned:
        rows.append(row("the default", "-", done.unassigned, done.unassigned_groups or 0, "-"))
    columns(rows, ("CONDITION", "WEIGHT", *(["GROUPS"] if groups is not None else []), "USERS", "SHARE", "EXPECTED"))


@contextmanager
def _counted(users: int) -> Iterator[Callable[[int], None]]:
    """Inside, how many users are through is told on one line of a terminal's stderr that vanishes at the end."""
    if not sys.stderr.isatty():
        yield lambda _through: None
        return
    with terminal(sys.stderr).status("…") as status:
        yield lambda through: status.update(f"{through:,} of {users:,} users")


def _ask(look: Callable[[UpgradeClient], Awaitable[None]], as_json: bool) -> None:
    """Run `look` with a client of the server, which stderr names; errors are told as the command line tells them."""
    from graphwright.agents.upgrade.client.connecting import connect
    from graphwright.agents.upgrade.client.failures import Invalid, LocalServiceFailed, NotFound
    from graphwright.agents.upgrade.client.settings import UpgradeSettings
    from graphwright.store.home import data_home

    settings = UpgradeSettings.from_environment()

    async def run() -> None:
        async with connect(settings, data_home()) as client:
            note((f"{'the local service' if client.local else 'UpGrade server'} · {client.place}", "dim"))
            await look(client)

    try:
        asyncio.run(run())
    except (NotFound, Invalid, LocalServiceFailed) as error:
        # The request names what is not there, or does not fit; or a file of the user's does not.
        raise UsageError(error.code, error.message, error.hint) from error


async def _id_of(client: UpgradeClient, wanted: str) -> str:
    """The id of the experiment with this id or name; where the case is another one, too. Raises UsageError."""
    from uuid import UUID

    try:
        return str(UUID(wanted))
    except ValueError:
        pass
    names = await client.names()
    found = [each for each in names if each.name == wanted] or [
        each for each in names if each.name.strip().casefold() == wanted.strip().casefold()
    ]
    if not found:
        raise _no_such(wanted, names)
    if len(found) > 1:
        listed = bounded([each.id for each in found], _MOST_NAMED)
        text = f"{len(found)} experiments are called {found[0].name!r}: {listed}."
        raise UsageError("ambiguous", text, "Name one by its id.")
    return found[0].id


def _no_such(wanted: str, names: Sequence[ExperimentName]) -> UsageError:
    from difflib import get_close_matches

    by_fold = {each.name.casefold(): each.name for each in names}
    near = [by_fold[name] for name in get_close_matches(wanted.casefold(), list(by_fold), n=3)]
    hint = (
        f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else "See: graphwright upgrade experiments"
    )
    return UsageError("not_found", f"there is no experiment called {wanted!r}.", hint)


def _known(context: str, contexts: Any) -> None:
    if context not in contexts:
        hint = f"There are: {', '.join(sorted(contexts))}." if contexts else "The server has none."
        raise UsageError("unknown_context", f"there is no context {context!r}.", hint)


_MOST_NAMED = 10
_MOST_MEMBERS = 5


def _show(found: Experiment, counts: EnrollmentDetail) -> None:
    codes = {each.id: each.code for each in found.conditions}
    unit = f"{found.assignment_unit} ({found.group})" if found.group else found.assignment_unit
    rule = found.post_experiment_rule
    if rule == "assign":
        rule = f"assign {codes.get(found.revert_to, 'the default condition')}"
    goal = found.enrollment_goal
    limits = [(goal.users, "users"), (goal.groups, "groups")] if goal else []
    taken = ", ".join(f"{number:,} {what}" for number, what in limits if number is not None)
    _facts(
        [
            ("experiment", found.name),
            ("id", found.id),
            *([("description", one_line(found.description, 10_000))] if found.description else []),
            ("context", found.context),
            ("state", found.state.value),
            ("unit", f"{unit}, consistency {found.consistency_rule}"),
            (
                "everybody",
                "takes part unless excluded" if found.filter_mode == "includeAll" else "is out unless included",
            ),
            ("afterwards", rule),
            *([("complete at", taken)] if taken else []),
            *([("tags", ", ".join(found.tags))] if found.tags else []),
            ("enrolled", f"{many(counts.users, 'user')}, {many(counts.groups, 'group')}"),
            ("excluded", f"{many(counts.users_excluded, 'user')}, {many(counts.groups_excluded, 'group')}"),
        ]
    )
    enrolled = {each.id: each.users for each in counts.conditions}
    next_table(
        [(each.code, f"{each.weight:g} %", f"{enrolled.get(each.id, 0):,}", each.id) for each in found.conditions],
        ("CONDITION", "WEIGHT", "USERS", "ID"),
    )
    next_table(
        [(p.site, p.target or "-", "yes" if p.exclude_if_reached else "no") for p in found.decision_points],
        ("SITE", "TARGET", "EXCLUDE IF REACHED"),
    )
    lists = [*(("included", each) for each in found.inclusions), *(("excluded", each) for each in found.exclusions)]
    members = [(side, each.name, _members(each)) for side, each in lists if not each.empty]
    next_table(members, ("LIST", "NAME", "MEMBERS"))
    changes = [(f"{each.time:%Y-%m-%d %H:%M}", f"{each.before} -> {each.after}") for each in found.state_changes]
    next_table(changes, ("TIME", "STATE"))


def _members(found: UserList) -> str:
    return bounded(
        [*found.users, *(f"{group.type} {group.id}" for group in found.groups), *found.segments], _MOST_MEMBERS
    )


def _facts(rows: Sequence[tuple[str, Any]]) -> None:
    facts(rows, max(len(name) for name, _ in rows) + 2)
