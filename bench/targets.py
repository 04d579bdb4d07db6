"""The promises of the project, and whether this run met them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.assistant import SLOW
from bench.compiling import COMPARED, LAYERED
from bench.editor import SMALL
from bench.files import COLUMNS
from bench.measure import Result, duration
from bench.scale import Scale
from bench.service import MODEL
from bench.upgrade_agent import SMALL as FEW

FLAT = 0.20


@dataclass(frozen=True)
class Target:
    """A promise, its limit and the figure of this run, as on the page."""

    promise: str
    limit: str
    figure: str
    met: bool


def targets(results: Mapping[str, Result], growth: float, memory: float, scale: Scale) -> Iterator[Target]:
    """Every target. `growth` is the bytes of the database for each turn, `memory` the megabytes of an idle service."""
    step = max(results[key].cpu_median for key in ("step/10", "step/1000"))
    yield _within("pure step, three-term guard, ten answers", step, 15e-6)
    yield _cpu(results, "turn/length/1", "turn with one question and one action, SQLite", 4e-3)
    yield from _beside_others(results)
    for promise, keys in (
        (f"pure step flat from {_ends(scale.nodes)} nodes", [f"step/size/{size}" for size in scale.nodes]),
        (f"turn flat from {_ends(scale.nodes)} nodes", [f"turn/size/{size}" for size in scale.nodes]),
        (f"turn flat from {_ends(scale.turns)} turns", [f"turn/length/{turns}" for turns in scale.turns]),
    ):
        # A turn that becomes cheaper does not break the promise.
        first, *others = (results[key].cpu_median for key in keys)
        yield _more(promise, max(others) / first - 1, FLAT, "")
    yield from _of_compiler(results, scale)
    yield Target("growth of the database a turn", "4.0 KB", f"{growth / 1_000:.1f} KB", growth <= 4_000)
    nodes, edges = scale.graph
    yield _wall(results, "graph/import", f"{nodes:,} nodes and {edges:,} edges imported", 90)
    yield _wall(results, "graph/one/store", "graph query over one edge", 1e-3)
    yield _wall(results, "graph/three/store", "graph query over three edges", 10e-3)
    yield _wall(results, "graph/staged", "goal of ten staged writes, without the model", 60e-3)
    yield _wall(results, "graph/search", "search of the graph's texts", 100e-3)
    promise = "goal of ten writes of the graph editor, without the model"
    yield _wall(results, f"editor/goal/{SMALL}", promise, 60e-3)
    yield from _of_migration(results, scale)
    yield from _of_agents(results, scale)
    yield from _of_service(results, memory, scale)
    promise = f"{scale.records:,} rows and {COLUMNS} columns of CSV opened and summarised"
    yield _wall(results, "files/open", promise, 2)
    yield _wall(results, "knowledge/index", f"{scale.pages:,} pages of documents indexed", 20)
    yield _wall(results, "knowledge/search", "a search in them", 20e-3)
    ratio = results["knowledge/search"].wall_median / results["knowledge/plain"].wall_median
    promise = "a search in them, compared with plain FTS5 over the same passages"
    yield Target(promise, "10 times its time", f"{ratio:.1f}", ratio <= 10)
    yield _wall(results, "sandbox/trivial", "generated code run by a warm sandbox: a sum", 30e-3)
    yield _wall(results, "sandbox/plotly", "the same: a Plotly figure", 200e-3)
    yield _wall(results, "sandbox/cold", "the first generated code of a process", 3)


def _wall(results: Mapping[str, Result], key: str, promise: str, most: float) -> Target:
    return _within(promise, results[key].wall_median, most)


def _cpu(results: Mapping[str, Result], key: str, promise: str, most: float) -> Target:
    return _within(promise, results[key].cpu_median, most, " CPU")


def _within(promise: str, seconds: float, most: float, of: str = "") -> Target:
    """At most so many seconds."""
    factor, unit = (1, "s") if most > 0.2 else (1e3, "ms") if most >= 1e-3 else (1e6, "µs")
    return Target(promise, f"{most * factor:g} {unit}{of}", duration(seconds), seconds <= most)


def _more(promise: str, share: float, most: float, of: str) -> Target:
    """At most so much more than something else."""
    return Target(promise, f"{most:.0%}{of}".replace("%", " %"), f"{share * 100:+.0f} %", share <= most)


def _of_compiler(results: Mapping[str, Result], scale: Scale) -> Iterator[Target]:
    largest = scale.nodes[-1]
    yield _cpu(results, f"compile/{largest}", f"{largest:,} nodes checked and compiled", 1)
    yield _cpu(results, "compile/layers", f"4 layers of {LAYERED:,} nodes read and merged", 0.5)
    size = max(size for size in scale.nodes if size <= COMPARED)
    yield _cpu(results, f"compile/diff/{size}", f"difference of two flows of {size:,} nodes", 0.5)
    yield _cpu(results, "compile/assured", "assurances of 500 nodes", 20)
    slowest = max(result.cpu_median for key, result in results.items() if key.startswith("compile/assured/"))
    yield _within("an agent compiled with its assurances", slowest, 2, " CPU")
    yield _wall(results, "command/help", "`graphwright --help`", 0.25)
    yield _wall(results, f"command/check/{scale.nodes[0]}", "`graphwright check`, small flow", 0.35)
    yield _wall(results, f"command/check/{largest}", f"`graphwright check`, {largest:,} nodes", 1)
    yield _cpu(results, "command/ask/none", "`graphwright ask`, model none", 1.2)
    yield _cpu(results, "command/ask/scripted", "`graphwright ask`, model scripted", 1.6)


def _beside_others(results: Mapping[str, Result]) -> Iterator[Target]:
    """The durable turn of other engines, with SQLite. LangGraph writes once for each turn, Burr after each step."""
    for shape, promise, key, limit in (
        (
            "action",
            "durable turn with one action, compared with LangGraph writing once a turn",
            "langgraph/async/exit",
            0.5,
        ),
        ("action", "the same, compared with Burr", "burr/sqlite", 3.5),
        ("action", "the same in Postgres, compared with SQLite", "ours", 1.5),
        (
            "ten",
            "durable turn over ten pure nodes, compared with LangGraph writing once a turn",
            "langgraph/async/exit",
            0.25,
        ),
    ):
        ours = results.get("action/postgres" if key == "ours" else f"{shape}/ours")
        other = results.get(f"{shape}/{key}")
        if ours is not None and other is not None:
            ratio = ours.cpu_median / other.cpu_median
            yield Target(promise, f"{limit:.2f} of its CPU", f"{ratio:.2f}", ratio <= limit)


def _of_migration(results: Mapping[str, Result], scale: Scale) -> Iterator[Target]:
    for key, name in (("sqlite", "SQLite"), ("postgres", "Postgres")):
        if f"migration/{key}" in results:
            yield _wall(results, f"migration/{key}", f"{scale.threads:,} waiting threads migrated, {name}", 60)
    carried = max(results[f"migration/{edit}"].cpu_median for edit in ("text", "schema", "guard"))
    more = carried / results["migration/message"].cpu_median - 1
    yield _more(
        "a message to a thread that carries over, compared with one that does not have to", more, 0.1, " more CPU"
    )


def _of_agents(results: Mapping[str, Result], scale: Scale) -> Iterator[Target]:
    yield _wall(results, "upgrade/assign", "assign of the local UpGrade service", 5e-3)
    # The limit is a minimum rate; written as the time of one request it is comparable with the others.
    yield _wall(results, "upgrade/many", "the same, clients at once: 500 a second", 2e-3)
    yield _wall(results, "upgrade/list", f"{scale.experiments:,} experiments listed by it", 100e-3)
    yield _wall(results, "upgrade/start", "local UpGrade service started", 1)
    for known in (FEW, scale.experiments):
        promise = f"turn with the UpGrade agent, {known:,} experiments, without the model and the server"
        yield _cpu(results, f"upgrade_agent/any/{known}", promise, 20e-3)
    promise = "turn with the data scientist, without the model, the sandbox and reading files"
    yield _cpu(results, "data_scientist/any", promise, 20e-3)
    promise = "turn with the research assistant, without the model and what its tools do"
    yield _cpu(results, "assistant/any", promise, 20e-3)
    slowest = max(SLOW.values())
    promise = f"turn with four slow tools, of which the slowest takes {slowest:g} s: as long as that one"
    yield _wall(results, "assistant/slow", promise, slowest * 1.1)


def _of_service(results: Mapping[str, Result], memory: float, scale: Scale) -> Iterator[Target]:
    yield _wall(results, "service/start", "service started", 2)
    yield Target("memory of an idle service", "350 MB", f"{memory:.0f} MB", memory <= 350)
    yield _wall(results, "service/agents", "list of agents after the first call", 20e-3)
    yield _within(
        "delay of a streamed piece of text until a listener gets it, 95th percentile",
        results["service/piece"].wall_of(0.95),
        50e-3,
    )
    yield _wall(results, "service/long", f"messages of a thread of {scale.turns[-1]:,} turns", 100e-3)
    longest = max(MODEL)
    promise = (
        f"turn of {scale.conversations} conversations at once, without the {longest:g} s of its model, 95th percentile"
    )
    yield _within(promise, results[f"service/at_once/{longest:g}"].wall_of(0.95), 150e-3)


def _ends(numbers: tuple[int, ...]) -> str:
    return f"{numbers[0]:,} to {numbers[-1]:,}"
