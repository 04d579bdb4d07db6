"""The promises of the project, and whether this run met them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.assistant import SLOW
from bench.compiling import COMPARED, LAYERED
from bench.editor import SMALL
from bench.files import COLUMNS
from bench.measure import Result
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
    step = max(results[key].cpu_median for key in ("step/10", "step/1000")) * 1e6
    yield Target("pure step, three-term guard, ten answers", "15 µs", f"{step:.1f} µs", step <= 15)
    turn = results["turn/length/1"].cpu_median * 1e3
    yield Target("turn with one question and one action, SQLite", "4 ms CPU", f"{turn:.2f} ms", turn <= 4)
    yield from _beside_others(results)
    for promise, keys in (
        (f"pure step flat from {_ends(scale.nodes)} nodes", [f"step/size/{size}" for size in scale.nodes]),
        (f"turn flat from {_ends(scale.nodes)} nodes", [f"turn/size/{size}" for size in scale.nodes]),
        (f"turn flat from {_ends(scale.turns)} turns", [f"turn/length/{turns}" for turns in scale.turns]),
    ):
        # A turn that becomes cheaper does not break the promise.
        first, *others = (results[key].cpu_median for key in keys)
        rise = max(others) / first - 1
        yield Target(promise, "20 %", f"{rise * 100:+.0f} %", rise <= FLAT)
    largest = scale.nodes[-1]
    compiled = results[f"compile/{largest}"].cpu_median
    yield Target(f"{largest:,} nodes checked and compiled", "1 s", f"{compiled:.2f} s", compiled <= 1)
    layered = results["compile/layers"].cpu_median
    yield Target(f"4 layers of {LAYERED:,} nodes read and merged", "0.5 s CPU", f"{layered:.2f} s", layered <= 0.5)
    size = max(size for size in scale.nodes if size <= COMPARED)
    compared = results[f"compile/diff/{size}"].cpu_median
    yield Target(f"difference of two flows of {size:,} nodes", "0.5 s CPU", f"{compared:.2f} s", compared <= 0.5)
    assured = results["compile/assured"].cpu_median
    yield Target("assurances of 500 nodes", "20 s", f"{assured:.1f} s", assured <= 20)
    slowest = max(result.cpu_median for key, result in results.items() if key.startswith("compile/assured/"))
    yield Target("an agent compiled with its assurances", "2 s", f"{slowest:.2f} s", slowest <= 2)
    yield Target("growth of the database a turn", "4.0 KB", f"{growth / 1_000:.1f} KB", growth <= 4_000)
    for key, promise, limit in (
        ("help", "`graphwright --help`", 0.25),
        (f"check/{scale.nodes[0]}", "`graphwright check`, small flow", 0.35),
        (f"check/{largest}", f"`graphwright check`, {largest:,} nodes", 1.0),
    ):
        wall = results[f"command/{key}"].wall_median
        yield Target(promise, f"{limit:g} s", f"{wall:.2f} s", wall <= limit)
    for kind, most in (("none", 1.2), ("scripted", 1.6)):
        cpu = results[f"command/ask/{kind}"].cpu_median
        yield Target(f"`graphwright ask`, model {kind}", f"{most:g} s CPU", f"{cpu:.2f} s", cpu <= most)
    nodes, edges = scale.graph
    loaded = results["graph/import"].wall_median
    yield Target(f"{nodes:,} nodes and {edges:,} edges imported", "90 s", f"{loaded:.1f} s", loaded <= 90)
    for key, promise, limit in (
        ("graph/one/store", "graph query over one edge", 1),
        ("graph/three/store", "graph query over three edges", 10),
        ("graph/staged", "goal of ten staged writes, without the model", 60),
        ("graph/search", "search of the graph's texts", 100),
        (f"editor/goal/{SMALL}", "goal of ten writes of the graph editor, without the model", 60),
    ):
        spent = results[key].wall_median * 1e3
        yield Target(promise, f"{limit} ms", f"{spent:.2f} ms", spent <= limit)
    yield from _of_migration(results, scale)
    yield from _of_upgrade(results, scale)
    yield from _of_assistants(results)
    yield from _of_service(results, memory, scale)
    read = results["files/open"].wall_median
    promise = f"{scale.records:,} rows and {COLUMNS} columns of CSV opened and summarised"
    yield Target(promise, "2 s", f"{read:.2f} s", read <= 2)
    indexed = results["knowledge/index"].wall_median
    yield Target(f"{scale.pages:,} pages of documents indexed", "20 s", f"{indexed:.1f} s", indexed <= 20)
    asked = results["knowledge/search"].wall_median * 1e3
    yield Target("a search in them", "20 ms", f"{asked:.1f} ms", asked <= 20)
    ratio = results["knowledge/search"].wall_median / results["knowledge/plain"].wall_median
    promise = "a search in them, compared with plain FTS5 over the same passages"
    yield Target(promise, "10 times its time", f"{ratio:.1f}", ratio <= 10)
    for key, promise, seconds in (
        ("sandbox/trivial", "generated code run by a warm sandbox: a sum", 0.03),
        ("sandbox/plotly", "the same: a Plotly figure", 0.2),
        ("sandbox/cold", "the first generated code of a process", 3),
    ):
        taken = results[key].wall_median
        shown = f"{taken:.2f} s" if seconds >= 1 else f"{taken * 1e3:.1f} ms"
        limited = f"{seconds} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms"
        yield Target(promise, limited, shown, taken <= seconds)


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
        if (found := results.get(f"migration/{key}")) is not None:
            promise = f"{scale.threads:,} waiting threads migrated, {name}"
            yield Target(promise, "60 s", f"{found.wall_median:.1f} s", found.wall_median <= 60)
    more = results["migration/carried"].cpu_median / results["migration/message"].cpu_median - 1
    promise = "a message to a thread that carries over, compared with one that does not have to"
    yield Target(promise, "10 % more CPU", f"{more * 100:+.0f} %", more <= 0.10)


def _of_upgrade(results: Mapping[str, Result], scale: Scale) -> Iterator[Target]:
    spent = results["upgrade/assign"].wall_median * 1e3
    yield Target("assign of the local UpGrade service", "5 ms", f"{spent:.2f} ms", spent <= 5)
    # The limit is a minimum rate; written as the time of one request it is comparable with the others.
    share = results["upgrade/many"].wall_median * 1e3
    promise = "the same, clients at once: 500 a second"
    yield Target(promise, "2 ms each", f"{share:.2f} ms ({1e3 / share:,.0f} a second)", share <= 2)
    listed = results["upgrade/list"].wall_median * 1e3
    yield Target(f"{scale.experiments:,} experiments listed by it", "100 ms", f"{listed:.1f} ms", listed <= 100)
    started = results["upgrade/start"].wall_median
    yield Target("local UpGrade service started", "1 s", f"{started:.2f} s", started <= 1)
    for known in (FEW, scale.experiments):
        turn = results[f"upgrade_agent/any/{known}"].cpu_median * 1e3
        promise = f"turn with the UpGrade agent, {known:,} experiments, without the model and the server"
        yield Target(promise, "20 ms CPU", f"{turn:.1f} ms", turn <= 20)


def _of_assistants(results: Mapping[str, Result]) -> Iterator[Target]:
    for key, promise, limit in (
        ("data_scientist/any", "turn with the data scientist, without the model, the sandbox and reading files", 20),
        ("assistant/any", "turn with the research assistant, without the model and what its tools do", 20),
    ):
        turn = results[key].cpu_median * 1e3
        yield Target(promise, f"{limit} ms CPU", f"{turn:.1f} ms", turn <= limit)
    slowest, taken = max(SLOW.values()), results["assistant/slow"].wall_median
    promise = f"turn with four slow tools, of which the slowest takes {slowest:g} s: as long as that one"
    yield Target(promise, f"{slowest * 1.1:.1f} s", f"{taken:.2f} s", taken <= slowest * 1.1)


def _of_service(results: Mapping[str, Result], memory: float, scale: Scale) -> Iterator[Target]:
    started = results["service/start"].wall_median
    yield Target("service started", "2 s", f"{started:.2f} s", started <= 2)
    yield Target("memory of an idle service", "350 MB", f"{memory:.0f} MB", memory <= 350)
    listed = results["service/agents"].wall_median * 1e3
    yield Target("list of agents after the first call", "20 ms", f"{listed:.1f} ms", listed <= 20)
    piece = results["service/piece"].wall_of(0.95) * 1e3
    yield Target("a piece of text at who listens, 95 of 100", "50 ms", f"{piece:.1f} ms", piece <= 50)
    opened = results["service/long"].wall_median * 1e3
    yield Target(f"messages of a thread of {scale.turns[-1]:,} turns", "100 ms", f"{opened:.1f} ms", opened <= 100)
    longest = max(MODEL)
    late = results[f"service/at_once/{longest:g}"].wall_of(0.95) * 1e3
    promise = f"turn of {scale.conversations} conversations at once, without the {longest:g} s of its model, 95 of 100"
    yield Target(promise, "150 ms", f"{late:.0f} ms", late <= 150)


def _ends(numbers: tuple[int, ...]) -> str:
    return f"{numbers[0]:,} to {numbers[-1]:,}"
