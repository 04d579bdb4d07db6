"""`graphwright doctor`: is everything in order, and what to do where it is not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.connections import Level, documents, embeddings, logbook, mcp_servers, told
from graphwright.cli.console import result_json, results_alone, shown
from graphwright.cli.failures import DONE, FAILED, Debug, as_error
from graphwright.errors import GraphwrightError, redact, said

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_STYLES: dict[Level, str] = {"ok": "green", "warning": "bold yellow", "problem": "bold red"}

IMPORTS = {
    "antlr4-cypher": "antlr4_cypher",
    "cel-expr-python": "cel_expr_python.cel",
    "email-validator": "email_validator",
    "filelock": "filelock",
    "graphqlite": "graphqlite",
    "httpx": "httpx",
    "jinja2": "jinja2",
    "jsonschema": "jsonschema",
    "langchain": "langchain.chat_models",
    "langgraph": "langgraph.graph",
    "phonenumbers": "phonenumbers",
    "pint": "pint",
    "platformdirs": "platformdirs",
    "protobuf": "google.protobuf",
    "pydantic": "pydantic",
    "pyjwt": "jwt",
    "pysqlite3": "pysqlite3",
    "pyyaml": "yaml",
    "rapidfuzz": "rapidfuzz",
    "rich": "rich",
    "sqlalchemy": "sqlalchemy",
    "starlette": "starlette.applications",
    "structlog": "structlog",
    "typer": "typer",
    "uvicorn": "uvicorn",
}
"""What is needed, by the name of its distribution, and the module that shows whether it can be used."""

COMPILED = ("cel_expr_python", "google", "graphqlite", "pydantic", "pysqlite3", "rapidfuzz", "yaml")
"""Of these, the ones that are imported to see whether they can be: to import all of them takes seconds."""

SETTINGS = (
    *("GRAPHWRIGHT_MODEL", "GRAPHWRIGHT_HOME", "GRAPHWRIGHT_GRAPH", "GRAPHWRIGHT_INTERACTIONS"),
    *("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"),
    *("GRAPHWRIGHT_EMBEDDINGS", "GRAPHWRIGHT_ELOG_USER", "GRAPHWRIGHT_ELOG_PASSWORD"),
)
"""The variables of the environment that are told of, by their names alone: some hold secrets."""

_LITTLE, _NONE = 500 * 2**20, 20 * 2**20
"""Bytes of free space below which it gets tight, and below which nothing can be kept."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: whether it is in order, and what to do if not."""

    check: str
    level: Level
    message: str
    hint: str = ""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Is everything in order? Looks at all there is, and changes nothing.

    Python and packages, the configuration, the data folder, the database, threads, the interaction log, the graph, the
    default model, the agents, the MCP servers (each is started for a moment), the ELOG server, the folder of documents
    and the embeddings where they are configured (servers are asked once), the sandbox, and telemetry where it is on.
    Every line is ok, a warning or a problem, with what to do. Exit code 1 for a problem.
    """
    findings: list[Finding] = []
    seen: set[str] = set()
    for check, look in CHECKS.items():
        for finding in _found(check, look):
            # One broken thing may be in the way of several checks.
            if finding.level == "problem" and finding.message in seen:
                continue
            seen.add(finding.message)
            findings.append(finding)
            if not as_json:
                _show(finding)
    if as_json:
        result_json([asdict(finding) for finding in findings])
    raise typer.Exit(FAILED if any(finding.level == "problem" for finding in findings) else DONE)


_Look = Callable[[], Iterator[tuple[Level, str, str]]]
"""Gives level, message and hint of everything it looked at."""


def _found(check: str, look: _Look) -> Iterator[Finding]:
    """What a check finds; a check that fails has found a problem."""
    try:
        with results_alone():
            for level, message, hint in look():
                yield Finding(check, level, redact(message), redact(hint))
    # Everything is expected to be broken here.
    except Exception as error:
        yield Finding(check, "problem", *told(as_error(error)))


def _show(finding: Finding) -> None:
    shown((f"{finding.level:<8}", _STYLES[finding.level]), (f" {finding.check:<14}", "dim"), f" {finding.message}")
    if finding.hint:
        shown(" " * 24, finding.hint)


def _python() -> Iterator[tuple[Level, str, str]]:
    import platform

    yield "ok", f"{platform.python_version()} ({platform.python_implementation()}, {platform.platform(terse=True)})", ""


def _packages() -> Iterator[tuple[Level, str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    yield "ok", f"graphwright {version('graphwright')}", ""
    needed = _needed()
    good = []
    for name, module in IMPORTS.items():
        versions = needed.get(name)
        if name in needed and versions is None:
            continue
        install = f"pip install --upgrade '{name}{versions or ''}'"
        try:
            _require(module)
            found = version(name)
        except (PackageNotFoundError, ModuleNotFoundError):
            yield "problem", f"{name} is missing.", install
        # A package that is broken may raise anything when it is imported.
        except Exception as error:
            yield "problem", f"{name} cannot be imported: {said(error)}.", f"{install} --force-reinstall"
        else:
            if versions and not versions.contains(found, prereleases=True):
                yield "problem", f"{name} {found} is installed, {versions} is needed.", install
            else:
                good.append(f"{name} {found}")
    yield "ok", ", ".join(good), ""


def _require(module: str) -> None:
    """Import a module that is compiled, and may not fit this machine; look whether another one is there.

    Raises ModuleNotFoundError, and whatever the import raises.
    """
    if module.partition(".")[0] in COMPILED:
        import_module(module)
    elif find_spec(module) is None:
        raise ModuleNotFoundError(module)


def _needed() -> dict[str, SpecifierSet | None]:
    """The versions that graphwright asks for, by the name of the distribution; None for one of another machine."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    found = [Requirement(text) for text in requires("graphwright") or ()]
    asked: dict[str, SpecifierSet | None] = {}
    for requirement in found:
        # Extras are asked for by other markers, and are for nobody here.
        here = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        asked[requirement.name.lower()] = requirement.specifier if here else asked.get(requirement.name.lower())
    return asked


def _configuration() -> Iterator[tuple[Level, str, str]]:
    from graphwright.config import FILE, config_file, current

    file = config_file()
    if file is None:
        yield "ok", f"No {FILE} here or in a folder above; the defaults hold.", ""
    else:
        current()
        yield "ok", f"{file}", ""
    own = [name for name in SETTINGS if os.environ.get(name, "").strip()]
    if own:
        yield "ok", f"The environment sets {' and '.join(filter(None, (', '.join(own[:-1]), own[-1])))}.", ""


def _data() -> Iterator[tuple[Level, str, str]]:
    from graphwright.store.home import data_home

    home = data_home()
    there = home
    while not there.exists() and there != there.parent:
        there = there.parent
    elsewhere = "Set GRAPHWRIGHT_HOME, or home in graphwright.toml, to a folder that this user may write to."
    if not there.is_dir():
        yield "problem", f"{there} is no folder.", elsewhere
        return
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        yield "problem", f"{there} cannot be written to.", elsewhere
        return
    free = shutil.disk_usage(there).free
    made = "" if there == home else " (made at the first conversation)"
    if free < _LITTLE:
        level: Level = "problem" if free < _NONE else "warning"
        yield level, f"{home}: only {_size(free)} free.", "Make room on that disk, or use another one."
    else:
        yield "ok", f"{home}{made}, {_size(free)} free", ""


def _database() -> Iterator[tuple[Level, str, str]]:
    from graphwright.store.health import examine
    from graphwright.store.home import data_home

    health = examine(data_home())
    if health is None:
        yield "ok", "No data yet.", ""
        return
    if health.damage:
        yield (
            "problem",
            f"{health.path} is damaged: {'; '.join(health.damage)}.",
            "Move the file aside, with its -wal and -shm, and restore a backup; a new one is made at the next start.",
        )
        return
    yield "ok", f"{health.path}: sound, {_size(health.size)}, tables of version {health.version}", ""
    counts = [f"{count:,} {status}" for status, count in health.threads.items()]
    total = sum(health.threads.values())
    yield "ok", f"{total:,} thread{'' if total == 1 else 's'}{': ' if counts else ''}{', '.join(counts)}", ""
    if health.served:
        yield "ok", f"In the middle of a turn: {_listed(health.served)}.", ""
    if health.cut_short:
        yield (
            "warning",
            f"A turn was cut short: {_listed(health.cut_short)}.",
            "The next message to such a thread finishes it: graphwright chat AGENT --thread THREAD",
        )


def _interactions() -> Iterator[tuple[Level, str, str]]:
    from graphwright.store.home import data_home
    from graphwright.store.interactions.writer import examine

    health = examine(data_home())
    if health is None:
        yield "ok", "The interaction log is switched off.", ""
        return
    counts = health.counts
    if health.trouble is not None:
        yield "problem", *told(health.trouble)
    elif health.interactions is None:
        yield "ok", "No interactions yet.", ""
    else:
        many = "" if health.interactions == 1 else "s"
        yield "ok", f"{health.label}: {health.interactions:,} interaction{many}", ""
    if lost := counts.dropped + counts.failed:
        level: Level = "warning" if counts.last_lost >= counts.last_written else "ok"
        many = "" if lost == 1 else "s"
        yield (
            level,
            f"{lost:,} interaction{many} lost ({counts.failed:,} refused, {counts.dropped:,} dropped), "
            f"{counts.written:,} written; the last lost at {counts.last_lost}: {counts.error}",
            "What was said and done is in the traces of the threads all the same: graphwright threads trace THREAD",
        )


def _graph() -> Iterator[tuple[Level, str, str]]:
    from graphwright.graphstore.opening import examine
    from graphwright.store.home import data_home

    health = examine(data_home())
    match health.size, health.goals:
        case None, None:
            from graphwright.config import chosen_graph

            yield "ok", f"{health.name}: reached" if chosen_graph() else "No graph yet.", ""
        case size, None:
            yield (
                "warning",
                f"{health.name} is an empty file.",
                "The next use begins an empty graph in it. Where there was one, restore a backup before.",
            )
        case size, goals:
            many = "" if goals == 1 else "s"
            yield "ok", f"{health.name}: sound, {_size(size or 0)}, {goals:,} goal{many} in its journal", ""


def _model() -> Iterator[tuple[Level, str, str]]:
    from graphwright.models import EmbeddedModelMissing, default_model, load
    from graphwright.models.loading import EMBEDDED, NONE, key_variables
    from graphwright.models.pull import status

    usable = {EMBEDDED: "there, of the right size", NONE: "no model answers; questions are answered step by step"}
    spec = default_model()
    try:
        load(spec)
    except EmbeddedModelMissing as error:
        # Flows that read every reply by code need no model, so this is no problem yet.
        yield "warning", f"{spec}: {error.message}", error.hint
        return
    except GraphwrightError as error:
        message, hint = told(error)
        yield "problem", f"{spec}: {message}", hint
        return
    if spec == EMBEDDED and not status().size_ok:
        yield "problem", f"{status().path} has the wrong size.", "Fetch it anew: graphwright model pull"
        return
    keys = [name for name in key_variables(spec) if os.environ.get(name, "").strip()]
    how = f"{keys[0]} is set" if keys else usable.get(spec, "can be used")
    yield "ok", f"{spec}: {how}", ""


def _agents() -> Iterator[tuple[Level, str, str]]:
    from graphwright.config import current
    from graphwright.flow import Severity
    from graphwright.runtime.agent import Outline, load, outline
    from graphwright.runtime.definition import wrong_settings
    from graphwright.runtime.discovery import built_in, names, packaged

    config = current()
    flows = set()
    for name in names():
        try:
            # Only of settings that are there, and of Python that is not ours, something can be said by loading it.
            whole = name not in built_in() or name in config.agents
            agent = load(name) if whole else outline(name)
        except GraphwrightError as error:
            yield "problem", *told(error)
            continue
        flows.add(agent.flow.id)
        warnings = sum(d.severity is Severity.WARNING for d in agent.diagnostics)
        origin = f"{name} ({agent.package or 'built in'})"
        if warnings:
            many = "" if warnings == 1 else "s"
            yield "warning", f"{origin}: {warnings} warning{many} in its flow.", f"graphwright check {name}"
        else:
            yield "ok", origin, ""
        if not isinstance(agent, Outline) and agent.known_settings is not None:
            for wrong in wrong_settings(name, agent.known_settings, agent.settings):
                yield "problem", f"{config.file}: {wrong.message.rstrip('.')}.", wrong.hint
    for name in sorted(set(packaged()) & set(built_in())):
        package = ", ".join(agent.distribution for agent in packaged()[name])
        yield "warning", f"{package} brings an agent {name!r}: the built-in one is used.", "Its author must rename it."
    for name in sorted(set(config.agents) - set(names())):
        yield (
            "warning",
            f"{config.file} has settings for {name!r}, which is no agent listed here.",
            "That is right for an agent in a folder of your own; else correct the name.",
        )
    for id in config.path_policies:
        if id not in flows:
            yield (
                "warning",
                f"{config.file} sets a path policy for {id!r}, which is no flow of an agent listed here.",
                "That is right for an agent in a folder of your own; else correct the id.",
            )


def _sandbox() -> Iterator[tuple[Level, str, str]]:
    from graphwright.sandbox import available, self_test

    found = available()
    for missing in found.missing:
        # Only what needs a confined process does without it, and refuses to run.
        yield "warning", *told(missing)
    if not found.missing:
        yield "ok", f"{self_test()} (Landlock {found.landlock}): a confined process tried to escape, and could not", ""


def _generated_code() -> Iterator[tuple[Level, str, str]]:
    from graphwright.agents.data_scientist.figures import why_no_png
    from graphwright.sandbox import LibrariesMissing, Sandbox, SandboxUnavailable
    from graphwright.sandbox.tiers import tiers

    try:
        with Sandbox() as sandbox:
            isolation = sandbox.self_test()
    except (LibrariesMissing, SandboxUnavailable) as error:
        if isinstance(error, SandboxUnavailable) and error.layer == "self-test":
            raise
        # Only what runs generated code does without it, and refuses to run.
        yield "warning", *told(error)
        return
    yield "ok", f"{isolation}: code tried to escape, and could not", ""
    if why := why_no_png():
        yield "ok", f"Plotly figures are saved as pages, not as PNG: {why}.", ""
    for tier in tiers():
        if tier.missing is not None:
            yield (
                "ok",
                f"{tier.isolation} would hide the names of files, too. {tier.missing.message}",
                tier.missing.hint,
            )


def _telemetry() -> Iterator[tuple[Level, str, str]]:
    from importlib.util import find_spec

    from graphwright.runtime.telemetry.otel import asked_for

    for signal in ("traces", "metrics"):
        exporters = asked_for(signal)
        if not exporters:
            continue
        if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
            yield (
                "problem",
                f"OTEL_* asks for {signal}, but the packages for it are missing.",
                "pip install 'graphwright[otel]', or unset the variables.",
            )
            return
        place = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
        yield "ok", f"{signal} go to {', '.join(exporters)}{f' at {place}' if place else ''}", ""


CHECKS: dict[str, _Look] = {
    "python": _python,
    "packages": _packages,
    "configuration": _configuration,
    "data": _data,
    "database": _database,
    "interactions": _interactions,
    "graph": _graph,
    "model": _model,
    "agents": _agents,
    "mcp servers": mcp_servers,
    "logbook": logbook,
    "documents": documents,
    "embeddings": embeddings,
    "sandbox": _sandbox,
    "generated code": _generated_code,
    "telemetry": _telemetry,
}
"""What is looked at, in this order."""


def _listed(threads: tuple[str, ...], most: int = 5) -> str:
    more = len(threads) - most
    return ", ".join(threads[:most]) + (f" and {more:,} more" if more > 0 else "")


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GB"
