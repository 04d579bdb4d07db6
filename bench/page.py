"""The tables of a run, and the page that contains them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.measure import Result, duration
from bench.targets import Target

BEGIN = "<!-- bench:begin, written by `make bench` -->"
END = "<!-- bench:end -->"

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Reference costs", ("ground/",)),
    ("The walk", ("guard/", "step/10", "step/1000", "step/size/")),
    (
        "A turn: one question, one action",
        ("turn/length/", "turn/memory", "turn/extract", "turn/reopened"),
    ),
    ("A new version of a flow", ("migration/",)),
    ("A turn: one question, seven pure nodes", ("turn/size/",)),
    ("A turn: one question, one action, compared with other engines", ("action/",)),
    ("A turn: one question, ten pure nodes", ("ten/",)),
    ("The compiler and the command line", ("compile/", "command/")),
    ("The graph", ("graph/",)),
    ("The graph editor, without the model", ("editor/",)),
    ("The local UpGrade service", ("upgrade/",)),
    ("A turn with the UpGrade agent, without the model and the server", ("upgrade_agent/",)),
    ("A turn with the data scientist, without the model, the sandbox and the reading of files", ("data_scientist/",)),
    ("A turn with the research assistant, without the model and what its tools do", ("assistant/",)),
    ("The service", ("service/",)),
    ("Data files", ("files/",)),
    ("Searching documents, without embeddings", ("knowledge/",)),
    ("Generated code in the sandbox", ("sandbox/",)),
)


def tables(
    facts: Mapping[str, str], results: Mapping[str, Result], sizes: Mapping[str, float], targets: list[Target]
) -> str:
    """All tables of a run as Markdown. `sizes` are bytes for each turn by title."""
    lines = [f"{name}: {said}  " for name, said in facts.items()]
    lines += ["", "### Targets", "", "| target | limit | measured | |", "|---|---|---|---|"]
    lines += [f"| {t.promise} | {t.limit} | {t.figure} | {'met' if t.met else '**missed**'} |" for t in targets]
    for title, prefixes in GROUPS:
        lines += ["", f"### {title}", "", "| what | CPU | wall |", "|---|---|---|", *_rows(results, prefixes)]
    lines += ["", "### The database", "", "| what | bytes a turn |", "|---|---|"]
    lines += [f"| {title} | {size:,.0f} |" for title, size in sizes.items()]
    return "\n".join(lines) + "\n"


def _rows(results: Mapping[str, Result], prefixes: tuple[str, ...]) -> Iterator[str]:
    for prefix in prefixes:
        for key, result in results.items():
            if key == prefix or (prefix.endswith("/") and key.startswith(prefix)):
                yield f"| {result.title} | {duration(result.cpu_median)} | {duration(result.wall_median)} |"


class Place:
    """The place for the tables in a page. Raises ValueError for a page without one, OSError if there is no page."""

    def __init__(self, page: Path) -> None:
        self._page = page
        before, begin, rest = page.read_text("utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise ValueError(f"{page} has no place for the tables: it needs the lines {BEGIN!r} and {END!r}")
        self._before, self._after = before + begin, end + after

    def write(self, text: str) -> None:
        """Write the tables into the page."""
        self._page.write_text(f"{self._before}\n\n{text}\n{self._after}", "utf-8")
