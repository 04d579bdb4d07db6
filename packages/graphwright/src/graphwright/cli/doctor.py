"""`graphwright doctor`: check the installation, and say what to do about problems."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator
from functools import partial
from importlib.util import find_spec
from threading import Thread
from typing import Any, TypeVar

import typer

from graphwright.cli.console import print_line, result_json, results_alone
from graphwright.cli.failures import DONE, FAILED, Debug, Json, as_error
from graphwright.errors import GraphwrightError, exception_text, redact
from graphwright.hooks import (
    APPROVALS,
    CHECKS,
    COMMANDS,
    DEMOS,
    EXPORTS,
    MODELS,
    RESOURCES,
    STORES,
    Check,
    Finding,
    Hook,
    Level,
)
from graphwright.text.sentences import bounded, many, size_text

__all__ = ["texts", "additions", "within_time_limit", "unanswered"]

T = TypeVar("T")

_STYLES: dict[Level, str] = {"ok": "green", "warning": "bold yellow", "problem": "bold red"}

_LITTLE, _NONE = 500 * 2**20, 20 * 2**20
"""Bytes of free space below which there is a warning, and below which nothing can be stored."""


def doctor(
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check the installation and the configuration. Nothing is changed.

    Python, packages and their commands, the configuration, the data folder, the database, threads, the interaction log,
    the graph, the default model, the agents, the MCP servers (each is started for a moment), the ELOG server, the
    folder of documents and the embeddings if they are configured (servers get one request), the sandbox, and telemetry
    if it is on. Every line is ok, a warning or a problem, with what to do. Exit code 1 for a problem.
    """
    findings: list[dict[str, str]] = []
    problems: set[str] = set()
    for check, look in checks().items():
        for level, message, hint in _findings(look):
            # One cause may fail several checks.
            if level == "problem" and message in problems:
                continue
            if level == "problem":
                problems.add(message)
            findings.append({"check": check, "level": level, "message": message, "hint": hint})
            if not as_json:
                print_line((f"{level:<8}", _STYLES[level]), (f" {check:<14}", "dim"), f" {message}")
                if hint:
                    print_line(" " * 24, hint)
    if as_json:
        result_json(findings)
    raise typer.Exit(FAILED if problems else DONE)


def _findings(look: Check) -> Iterator[Finding]:
    """Yield the findings of a check. A check that raises has found a problem."""
    try:
        with results_alone():
            for level, message, hint in look():
                if level not in _STYLES:
                    raise ValueError(f"the check returned the level {level!r}")
                yield level, redact(message), redact(hint)
    # Anything may be broken here.
    except Exception as error:
        yield "problem", *texts(as_error(error))


def texts(error: GraphwrightError) -> tuple[str, str]:
    """Return an error as the message and the hint of a finding."""
    return error.message, error.hint


def _packages() -> Iterator[Finding]:
    import platform
    from importlib.metadata import PackageNotFoundError, requires, version

    from packaging.requirements import Requirement

    python = f"Python {platform.python_version()} ({platform.python_implementation()}, {platform.platform(terse=True)})"
    good = [f"graphwright {version('graphwright')}"]
    yield "ok", python, ""
    for needed in map(Requirement, requires("graphwright") or ()):
        # Requirements of extras have markers that are false here.
        if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(needed.name)
        except PackageNotFoundError:
            found = ""
        if found and needed.specifier.contains(found, prereleases=True):
            good.append(f"{needed.name} {found}")
        else:
            hint = f"pip install --upgrade '{needed.name}{needed.specifier}'"
            yield "problem", f"{needed.name}{needed.specifier} is needed, and {found or 'none'} is installed.", hint
    yield "ok", ", ".join(good), ""


def _commands() -> Iterator[Finding]:
    from graphwright.cli.commands import CORE, load

    for name, entry in COMMANDS.entries().items():
        try:
            if name in CORE:
                told = f"{entry.distribution} brings a command {name!r}: Graphwright's own is used."
                yield "warning", told, "Its author must rename it."
            elif not entry.own:
                load(entry)
                yield "ok", f"{name} ({entry.distribution})", ""
        except GraphwrightError as error:
            yield "problem", *texts(error)
    yield from _unused(COMMANDS)


def _unused(hook: Hook[Any]) -> Iterator[Finding]:
    """Yield a warning for each entry point whose name another package has."""
    for entry, used in hook.unused():
        message = f"{entry.distribution} and {used.distribution} both have the {hook.what} {entry.name!r}."
        yield "warning", message, f"That of {used.distribution} is used. Uninstall one, or ask its author to rename it."


def _plugins() -> Iterator[Finding]:
    """Load what other packages add through hooks, except agents, commands and routes."""
    yield from additions(CHECKS, CORE)
    yield from additions(APPROVALS)
    yield from additions(EXPORTS, _core_options())
    yield from additions(RESOURCES)
    yield from additions(DEMOS)
    yield from additions(MODELS, _core_models())
    yield from additions(STORES)


def additions(hook: Hook[Any], reserved: Collection[str] = ()) -> Iterator[Finding]:
    """Load what other packages add through a hook. Names in `reserved` are Graphwright's own."""
    for name, entry in hook.entries().items():
        if not entry.own and name in reserved:
            message = f"{entry.distribution} brings a {hook.what} {name!r}, which Graphwright has: it is not used."
            yield "warning", message, "Its author must rename it."
        elif not entry.own:
            try:
                hook.load(entry)
                yield "ok", f"{hook.what} {name} ({entry.distribution})", ""
            except GraphwrightError as error:
                yield "problem", *texts(error)
    yield from _unused(hook)


def _core_models() -> Collection[str]:
    from graphwright.models._loading import RESERVED

    return RESERVED


def _core_options() -> Collection[str]:
    from graphwright.cli._threads import EXPORT_OPTIONS

    return EXPORT_OPTIONS


def _configuration() -> Iterator[Finding]:
    from graphwright.config import FILE, config_file, current

    if file := config_file():
        current()
    yield "ok", str(file) if file else f"No {FILE} here or in a folder above; the defaults hold.", ""


def _data() -> Iterator[Finding]:
    from graphwright.store.home import data_home

    home = data_home()
    there = home
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir() or not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        hint = "Set GRAPHWRIGHT_HOME, or home in graphwright.toml, to a folder that this user may write to."
        yield "problem", f"{there} is not a folder that can be written to.", hint
        return
    free = shutil.disk_usage(there).free
    level: Level = "problem" if free < _NONE else "warning" if free < _LITTLE else "ok"
    hint = "" if level == "ok" else "Make room on that disk, or use another one."
    yield level, f"{home}{'' if there == home else ' (made at the first conversation)'}, {size_text(free)} free", hint


def _database() -> Iterator[Finding]:
    from graphwright.store._health import examine
    from graphwright.store.home import data_home

    health = examine(data_home())
    if health is None:
        yield "ok", "No data yet.", ""
        return
    if health.size is None:
        yield "ok", f"{health.label}: reached", ""
        return
    if health.damage:
        hint = "Move the file aside, with its -wal and -shm, and restore a backup; a new one is made at the next start."
        yield "problem", f"{health.label} is damaged: {'; '.join(health.damage)}.", hint
        return
    yield "ok", f"{health.label}: sound, {size_text(health.size)}, tables of version {health.version}", ""
    counts = [f"{count:,} {status}" for status, count in health.threads.items()]
    yield "ok", ": ".join([many(sum(health.threads.values()), "thread"), *filter(None, [", ".join(counts)])]), ""
    if health.served:
        yield "ok", f"In the middle of a turn: {bounded(health.served, 5)}.", ""
    if health.cut_short:
        hint = "The next message to such a thread finishes it: graphwright chat AGENT --thread THREAD"
        yield "warning", f"A turn was cut short: {bounded(health.cut_short, 5)}.", hint


def _interactions() -> Iterator[Finding]:
    from graphwright.store.home import data_home
    from graphwright.store.interactions import configured

    log = configured(data_home())
    if log is None:
        yield "ok", "The interaction log is switched off.", ""
    elif (count := log.count()) is None:
        yield "ok", "No interactions yet.", ""
    else:
        yield "ok", f"{log.label}: {many(count, 'interaction')}", ""


def _model() -> Iterator[Finding]:
    from graphwright.models import EmbeddedModelMissing, default_model, load
    from graphwright.models._loading import EMBEDDED, NONE, key_variables
    from graphwright.models._pull import status

    usable = {EMBEDDED: "there, of the right size", NONE: "no model answers; questions are answered step by step"}
    spec = default_model()
    try:
        load(spec)
    except GraphwrightError as error:
        # Some flows need no model, so a missing embedded model is not a problem yet.
        level: Level = "warning" if isinstance(error, EmbeddedModelMissing) else "problem"
        yield level, f"{spec}: {error.message}", error.hint
        return
    if spec == EMBEDDED and not status().size_ok:
        yield "problem", f"{status().path} has the wrong size.", "Download it again: graphwright model pull"
        return
    keys = [name for name in key_variables(spec) if os.environ.get(name, "").strip()]
    yield "ok", f"{spec}: {f'{keys[0]} is set' if keys else usable.get(spec, 'can be used')}", ""


def _agents() -> Iterator[Finding]:
    from graphwright.config import current
    from graphwright.flow import Severity
    from graphwright.host._definition import wrong_settings
    from graphwright.host.agent import FlowInvalid, Outline, load, outline
    from graphwright.host.discovery import built_in, names, packaged

    config = current()
    flows = set()
    for name in names():
        try:
            # Loading it finds more only for agents with settings, and for Python of other packages.
            whole = name not in built_in() or name in config.agents
            agent = load(name) if whole else outline(name)
        except GraphwrightError as error:
            # Only the agents that need a package of an extra refuse to run.
            lacking = isinstance(error, FlowInvalid) and error.lacks_packages
            yield "warning" if lacking else "problem", *texts(error)
            continue
        flows.add(agent.flow.id)
        warnings = sum(d.severity is Severity.WARNING for d in agent.diagnostics)
        origin = f"{name} ({agent.package or 'built in'})"
        if warnings:
            yield "warning", f"{origin}: {many(warnings, 'warning')} in its flow.", f"graphwright check {name}"
        else:
            yield "ok", origin, ""
        if not isinstance(agent, Outline) and agent.known_settings is not None:
            for wrong in wrong_settings(name, agent.known_settings, agent.settings):
                yield "problem", f"{config.file}: {wrong.message}", wrong.hint
    for name in built_in():
        package = ", ".join(agent.distribution for agent in packaged()[name] if not agent.own)
        if not package:
            continue
        yield "warning", f"{package} brings an agent {name!r}: the built-in one is used.", "Its author must rename it."
    unknown = [f"settings for the agent {name!r}" for name in sorted(set(config.agents) - set(names()))]
    unknown += [f"a path policy for the flow {id!r}" for id in config.path_policies if id not in flows]
    for what in unknown:
        hint = "That is right for an agent in a folder of your own; else correct the name."
        yield "warning", f"{config.file} has {what}, which is not listed here.", hint


TIME_LIMIT_SECONDS = 5.0
"""Seconds within which a server must be ready, and a logbook or an embedding model must answer."""


def within_time_limit(call: Callable[[], T]) -> T:
    """Return the result of a call within `TIME_LIMIT_SECONDS`. Raises TimeoutError, and the errors of the call."""
    from concurrent.futures import Future

    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(call())
        # Every provider has its own errors.
        except Exception as error:
            answer.set_exception(error)

    # A call that never returns must not block the command.
    Thread(target=work, daemon=True).start()
    try:
        return answer.result(TIME_LIMIT_SECONDS)
    except TimeoutError:
        raise TimeoutError(f"no answer within {TIME_LIMIT_SECONDS:g} s") from None


def unanswered(name: str, error: Exception) -> Finding:
    """Return a warning about a server that did not answer. Its users report the failure and work without it."""
    if isinstance(error, GraphwrightError):
        return "warning", *texts(error)
    return (
        "warning",
        f"{name} did not answer: {exception_text(error)}.",
        "Check its name, its key and its server, and try again.",
    )


def _mcp_servers() -> Iterator[Finding]:
    """Start each server for a moment. Findings are warnings, since agents work without the tools of a server."""
    import asyncio

    from graphwright.config import current
    from graphwright.tools.mcp import McpServers, ServerState, configured

    servers = configured(current())
    if not servers:
        return

    async def states() -> tuple[ServerState, ...]:
        async with McpServers(servers, at_once=TIME_LIMIT_SECONDS) as connected:
            return connected.states()

    for server in asyncio.run(states()):
        match server.state:
            case "ready":
                yield "ok", f"{server.name}: {many(server.tools, 'tool')} (protocol {server.protocol})", ""
                for note in server.notes:
                    yield "warning", f"{server.name} {note}.", f"See [mcp.{server.name}] and the server."
            case "starting":
                hint = "Some are downloaded at their first start: try again. Until then its tools are missing."
                yield "warning", f"{server.name} has not started within {TIME_LIMIT_SECONDS:g} s.", hint
            case "failed":
                hint = server.hint or f"Correct [mcp.{server.name}], or the server."
                yield "warning", f"{server.name} {server.why}.", hint


def _telemetry() -> Iterator[Finding]:
    from graphwright.host.telemetry import asked_for

    exporters = asked_for()
    if exporters and (find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None):
        hint = "pip install 'graphwright[otel]', or unset the variables."
        yield "problem", "OTEL_* asks for traces, but the packages for it are missing.", hint
    elif exporters:
        place = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
        yield "ok", f"traces go to {', '.join(exporters)}{f' at {place}' if place else ''}", ""


CORE: dict[str, Check] = {
    "packages": _packages,
    "commands": _commands,
    "plugins": _plugins,
    "configuration": _configuration,
    "data": _data,
    "database": _database,
    "interactions": _interactions,
    "model": _model,
    "agents": _agents,
    "mcp servers": _mcp_servers,
    "telemetry": _telemetry,
}
"""The checks of Graphwright itself, in order. Those of packages follow, by name."""


def checks() -> dict[str, Check]:
    """Return all checks, in order. Those of packages are imported when they run."""
    return {**CORE, **{name: partial(_packaged, name) for name in CHECKS.entries() if name not in CORE}}


def _packaged(name: str) -> Iterator[Finding]:
    yield from CHECKS.load(CHECKS.entries()[name])()
