"""`python -m bench.faults`: how many one-line faults the tests of an area find, and how many branches they take."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import coverage
import pytest

from bench import watching
from bench.mutations import Fault, faults_of

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Area:
    """Sources and their tests, as patterns below the root.

    `functions` and `others` restrict the sources to functions whose name (with class) matches the first and not the
    second pattern; sources in `whole` are not restricted.
    """

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    functions: str = ""
    others: str = ""
    whole: tuple[str, ...] = ()

    def files(self, root: Path) -> dict[str, bool]:
        """The existing sources, and whether each is unrestricted."""
        whole = dict.fromkeys(matching(root, self.whole), True)
        narrowed = bool(self.functions or self.others)
        return {**dict.fromkeys(matching(root, self.sources), not narrowed), **whole}

    def holds(self, function: str) -> bool:
        """Whether a function of a restricted source belongs to the area."""
        if self.functions and not re.search(self.functions, function):
            return False
        return not (self.others and re.search(self.others, function))


_CORE = "packages/graphwright/src/graphwright"
_ENGINE, _HOST = f"{_CORE}/engine", f"{_CORE}/host"
_GRAPH = "packages/graphwright-graph/src/graphwright_graph"
_CONFINED = "packages/graphwright-confined/src/graphwright_confined"
_FILES = "packages/graphwright-files/src/graphwright_files"
_ASSISTANT = "packages/graphwright-assistant/src/graphwright_assistant"
_CONFIRMING = r"confirm|ask_again|_not_applicable|spent|visit_of"

AREAS = {
    "kernel": Area(
        tuple(
            f"{_ENGINE}/*{name}.py"
            for name in ("advance", "constraints", "dependent_answers", "events", "paths", "position")
        ),
        ("tests/test_kernel*.py", "tests/test_host*.py", "tests/test_replay*.py"),
    ),
    "store": Area(
        (f"{_CORE}/store/*.py", f"{_CORE}/store/[!i]*/*.py"),
        (
            "tests/test_store*.py",
            "tests/test_sqlite*.py",
            "tests/test_host_durability*.py",
            "tests/test_effects*.py",
            "tests/test_cli_doctor*.py",
        ),
    ),
    "effects": Area(
        (
            *(f"{_ENGINE}/*{name}*.py" for name in ("perform", "host_interface")),
            *(f"{_HOST}/_{name}*.py" for name in ("execution", "action", "run")),
        ),
        ("tests/test_effects*.py", "tests/test_host*.py", "tests/test_replay*.py"),
        others=_CONFIRMING,
    ),
    "host": Area(
        (
            f"{_HOST}/*.py",
            *(f"{_ENGINE}/*{name}*.py" for name in ("step", "reply", "walk", "replay", "state", "questions")),
        ),
        ("tests/test_host*.py", "tests/test_answer*.py", "tests/test_effects*.py", "tests/test_replay*.py"),
    ),
    "confirmations": Area(
        (f"{_HOST}/*.py", f"{_ENGINE}/*.py"),
        (
            *("tests/test_host*.py", "tests/test_*yes_no*.py", "tests/test_*consent*.py", "tests/test_*confirm*.py"),
            *("tests/test_answer*.py", "tests/test_effects*.py"),
        ),
        functions=_CONFIRMING,
        whole=tuple(f"{_ENGINE}/*{name}*.py" for name in ("yes_no", "consent", "exact_replies")),
    ),
    "graphstore": Area(
        (f"{_GRAPH}/*.py", f"{_GRAPH}/[!n]*/**/*.py"),
        (
            *("tests/test_graph_[!en]*.py", "tests/test_graph_en*.py"),
            *("tests/test_cypher*.py", "tests/test_cli_doctor*.py"),
        ),
    ),
    "sandbox": Area((f"{_CONFINED}/**/*.py",), ("tests/test_sandbox*.py", "tests/test_confine*.py")),
    "files": Area((f"{_FILES}/**/*.py",), ("tests/test_files*.py",)),
    "links": Area(
        (
            f"{_CORE}/proposals/_text_checks.py",
            *(f"{_ASSISTANT}/assistant/{name}.py" for name in ("citing", "answering")),
        ),
        ("tests/test_assistant*.py", "tests/test_proposals*.py"),
    ),
    "mcp": Area((f"{_CORE}/tools/mcp/*.py",), ("tests/test_mcp*.py",)),
}
"""The measured areas. Patterns may match nothing, because files are added and removed."""

TIMEOUT_SECONDS = 20.0
"""The CPU seconds for the tests of a fault in addition to three times their time without it.

Ten times as much wall time is allowed, because other work on the machine must not look like a fault.
"""

Outcome = Literal["found", "timed out", "survived"]


@dataclass(slots=True)
class Tried:
    """One fault and its outcome. `old` and `new` are the line; `by` is the test that found it."""

    path: str
    line: int
    kind: str
    old: str
    new: str
    outcome: Outcome
    by: str
    seconds: float


@dataclass(slots=True)
class Result:
    """The result of an area.

    `possible` is its number of faults, `tried` those that were tried, `coverage` the numbers of lines and branches
    (lines, run, branches, taken).
    """

    possible: int
    coverage: dict[str, int]
    tried: list[Tried] = field(default_factory=list)

    def count(self, outcome: Outcome) -> int:
        """The number of tried faults with this outcome."""
        return sum(each.outcome == outcome for each in self.tried)


def matching(root: Path, patterns: Iterable[str]) -> list[str]:
    """The files below a root that match one of the patterns, each once."""
    return sorted({path.relative_to(root).as_posix() for pattern in patterns for path in root.glob(pattern)})


def notify(what: str) -> None:
    """Print progress."""
    print(f"faults: {what}", file=sys.stderr, flush=True)


class Tree:
    """A copy of the project in which faults are made and tests are run. The project itself is not changed."""

    def __init__(self, root: Path, work: Path) -> None:
        self.root, self.work = work / "tree", work
        if not self.root.exists():
            ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache", ".hypothesis", "results")
            shutil.copytree(root, self.root, ignore=ignored, symlinks=True)
        self._times = 0

    def write(self, path: str, text: str) -> None:
        """Write a source. Its modification time is new each time, so that old compiled code is not used."""
        file = self.root / path
        file.write_text(text, "utf-8")
        self._times += 1
        at = int(time.time()) + 10 * self._times
        os.utime(file, (at, at))

    def watch(self, tests: list[str], notes: Path, data: Path, sources: list[str]) -> None:
        """Run test files under coverage of sources, and record what they ran and how long they took."""
        rc = self.work / "coveragerc"
        included = "".join(f"\n    {self.root / source}" for source in sources)
        rc.write_text(f"[run]\nbranch = True\ndata_file = {data}\ninclude ={included}\n", "utf-8")
        command = [sys.executable, "-m", "coverage", "run", f"--rcfile={rc}", "-m", "pytest", *self._options(), *tests]
        with (self.work / "output.txt").open("wb") as output:
            environment = {**os.environ, **self._environment(), watching.NOTES: str(notes)}
            subprocess.run(command, cwd=self.root, env=environment, stdout=output, stderr=output, check=False)

    def preload(self, modules: list[str]) -> None:
        """Import modules for the tests once, so that later runs get them from the fork."""
        for module in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(module)

    def pytest(self, arguments: list[str], limit: float, environment: dict[str, str]) -> int | None:
        """The exit code of pytest in the tree, or None if it took more than `limit` CPU seconds and was ended."""
        fork = multiprocessing.get_context("fork")
        process = fork.Process(target=self._forked, args=(arguments, int(limit), environment))
        process.start()
        try:
            process.join(10 * limit)
        finally:
            if process.exitcode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid or 0, signal.SIGKILL)
                process.join()
        return None if process.exitcode in (-signal.SIGKILL, -signal.SIGXCPU) else process.exitcode

    def _forked(self, arguments: list[str], limit: int, environment: dict[str, str]) -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        output = os.open(self.work / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.chdir(self.root)
        os.environ.update(environment, **self._environment())
        tempfile.tempdir = None
        sys.path[:0] = self._path()
        sys.argv = ["pytest"]
        code = int(pytest.main([*self._options(), *arguments]))
        sys.stdout.flush()
        os._exit(code)

    def _path(self) -> list[str]:
        return [*map(str, sorted(self.root.glob("packages/*/src"))), str(self.root / "tests")]

    def _environment(self) -> dict[str, str]:
        # The plugin belongs to this tool; everything else comes from the tree.
        path = os.pathsep.join([*self._path(), str(ROOT)])
        return {"PYTHONPATH": path, "TMPDIR": str(self.work / "tmp")}

    def _options(self) -> list[str]:
        (self.work / "tmp").mkdir(exist_ok=True)
        plugins = (f"-p{name}" for name in ("bench.watching", "no:cacheprovider", "no:langsmith_plugin"))
        return ["-q", "-oaddopts=", *plugins, f"--basetemp={self.work / 'tmp' / 'pytest'}"]


class Watched:
    """The lines that each test of a tree runs: one run of all tests under coverage, kept in the work folder."""

    def __init__(self, tree: Tree, sources: list[str], tests: list[str]) -> None:
        self._tree = tree
        data, notes, report = (tree.work / name for name in ("coverage.sqlite", "notes.json", "coverage.json"))
        if not report.exists():
            notify(f"running {len(tests)} files of tests under coverage")
            tree.watch(tests, notes, data, sources)
            if not notes.exists():
                raise SystemExit(f"faults: the tests did not run; see {tree.work / 'output.txt'}")
            measured = coverage.Coverage(data_file=str(data), config_file=str(tree.work / "coveragerc"))
            measured.load()
            # Named one by one, so that the report includes sources that nothing ran.
            measured.json_report(morfs=[str(tree.root / source) for source in sources], outfile=str(report))
        noted = json.loads(notes.read_text("utf-8"))
        if noted["failed"]:
            notify(f"left out, as they do not pass without a fault: {', '.join(sorted(set(noted['failed'])))}")
        tree.preload(noted["modules"])
        self.seconds: dict[str, float] = noted["passed"]
        self._report: dict[str, Any] = {
            (Path.cwd() / path).relative_to(tree.root).as_posix(): summed
            for path, summed in json.loads(report.read_text("utf-8"))["files"].items()
        }
        self._data = coverage.CoverageData(str(data))
        self._data.read()

    def tests_of(self, path: str, fault: Fault, area: list[str]) -> list[str]:
        """The tests of an area's files that run the line.

        For a line outside of functions, the tests that run any line of the file; all tests if none is recorded, because
        worker processes are not measured.
        """
        ours = [test for test in self.seconds if test.partition("::")[0] in area]
        by_line = self._data.contexts_by_lineno(str(self._tree.root / path))
        lines = [fault.line, fault.statement] if fault.where else list(by_line)
        running = {test for line in lines for test in by_line.get(line, ())}
        return [test for test in ours if test in running] or ours

    def ordered(self, tests: list[str], seconds: float) -> list[str]:
        """Tests with so many CPU seconds in total, at least one: of each function its quickest case first."""
        cases: dict[str, list[str]] = {}
        for test in sorted(tests, key=lambda test: self.seconds[test]):
            cases.setdefault(test.partition("[")[0], []).append(test)
        rounds = sorted(
            (number, self.seconds[test], test) for each in cases.values() for number, test in enumerate(each)
        )
        chosen: list[str] = []
        for _, took, test in rounds:
            if chosen and took > seconds:
                continue
            chosen.append(test)
            seconds -= took
        return chosen

    def covered(self, area: Area) -> dict[str, int]:
        """The numbers of lines and branches of an area, and of those that are run."""
        total = {"lines": 0, "run": 0, "branches": 0, "taken": 0}
        for path, whole in area.files(self._tree.root).items():
            measured = self._report.get(path)
            if measured is None:
                continue
            parts = (
                [measured] if whole else [f for name, f in measured["functions"].items() if name and area.holds(name)]
            )
            for part in parts:
                summary = part["summary"]
                total["lines"] += summary["num_statements"]
                total["run"] += summary["covered_lines"]
                total["branches"] += summary["num_branches"]
                total["taken"] += summary["covered_branches"]
        return total


def chosen_faults(root: Path, area: Area, count: int, seed: int) -> tuple[int, list[tuple[str, Fault]]]:
    """The number of possible faults in the sources of an area, and a random sample: at most one for each line.

    A sample of fewer faults is the beginning of a sample of more.
    """
    draw = random.Random(seed)
    lines: dict[tuple[str, int], list[Fault]] = {}
    possible = 0
    for path, whole in area.files(root).items():
        for fault in faults_of((root / path).read_text("utf-8")):
            if whole or (fault.where and area.holds(fault.where)):
                possible += 1
                lines.setdefault((path, fault.line), []).append(fault)
    sample = [(path, draw.choice(faults)) for (path, _), faults in lines.items()]
    draw.shuffle(sample)
    return possible, sample[:count]


class Trial:
    """Tries faults in a tree, one after another."""

    def __init__(self, tree: Tree, watched: Watched, seconds: float) -> None:
        self._tree, self._watched, self._seconds = tree, watched, seconds
        self._sound: set[str] = set()

    def of(self, path: str, fault: Fault, area: list[str]) -> Tried:
        """Try a fault and return its outcome. A test that also fails without it does not count."""
        began = time.perf_counter()
        sound = (self._tree.root / path).read_text("utf-8")
        faulty = fault.put_into(sound)
        tests = self._watched.ordered(self._watched.tests_of(path, fault, area), self._seconds)
        outcome: Outcome = "survived"
        by = ""
        while tests:
            self._tree.write(path, faulty)
            try:
                outcome, by = self._run(tests)
            finally:
                self._tree.write(path, sound)
            if outcome != "found" or not by or self._passes(by):
                break
            notify(f"left out, as it does not pass without a fault: {by}")
            self._watched.seconds.pop(by)
            tests.remove(by)
            outcome, by = "survived", ""
        old, new = (text.splitlines()[fault.line - 1].strip() for text in (sound, faulty))
        took = round(time.perf_counter() - began, 1)
        return Tried(path, fault.line, fault.kind, old, new, outcome, by, took)

    def _run(self, tests: list[str]) -> tuple[Outcome, str]:
        """Run tests in the tree. Returns the outcome and the first failing test; empty if collecting the tests fails.

        The file with most of the tests goes first: it is about the line, and collecting one file is quick.
        """
        files: dict[str, list[str]] = {}
        for test in tests:
            files.setdefault(test.partition("::")[0], []).append(test)
        about = max(files, key=lambda file: len(files[file]))
        others = [test for test in tests if test not in files[about]]
        outcome = self._run_at_once(files[about], [about])
        if outcome[0] == "survived" and others:
            outcome = self._run_at_once(others, [file for file in files if file != about])
        return outcome

    def _run_at_once(self, tests: list[str], files: list[str]) -> tuple[Outcome, str]:
        chosen, notes = self._tree.work / "chosen.json", self._tree.work / "notes-of-fault.json"
        chosen.write_text(json.dumps(tests), "utf-8")
        notes.unlink(missing_ok=True)
        limit = TIMEOUT_SECONDS + 3 * sum(self._watched.seconds[test] for test in tests)
        environment = {watching.CHOSEN: str(chosen), watching.NOTES: str(notes)}
        code = self._tree.pytest(["-x", *files], limit, environment)
        if code is None:
            return "timed out", ""
        if code == 0:
            return "survived", ""
        failed = json.loads(notes.read_text("utf-8"))["failed"] if notes.exists() else []
        return "found", next((test for test in failed if test in tests), "")

    def _passes(self, test: str) -> bool:
        if test not in self._sound and self._run([test])[0] == "survived":
            self._sound.add(test)
        return test in self._sound


def measured(
    root: Path, work: Path, areas: dict[str, Area], count: int, seed: int, seconds: float, kept: dict[str, Result]
) -> Iterator[tuple[str, Result]]:
    """The results of the areas, each returned again after every fault. Faults in `kept` are not tried again."""
    tree = Tree(root, work)
    sources = sorted({path for area in areas.values() for path in area.files(tree.root)})
    tests = sorted({path for area in areas.values() for path in matching(tree.root, area.tests)})
    watched = Watched(tree, sources, tests)
    trial = Trial(tree, watched, seconds)
    for name, area in areas.items():
        possible, sample = chosen_faults(tree.root, area, count, seed)
        result = Result(possible, watched.covered(area), kept[name].tried if name in kept else [])
        yield name, result
        own = matching(tree.root, area.tests)
        for path, fault in sample[len(result.tried) :]:
            result.tried.append(trial.of(path, fault, own))
            last = result.tried[-1]
            notify(f"{name} {len(result.tried)}/{len(sample)}: {last.outcome}, {path}:{last.line} {last.new}")
            yield name, result


def table(results: dict[str, Result]) -> str:
    """The results, as a table in Markdown."""
    rows = ["| area | faults found | branches taken | lines run |", "|---|---|---|---|"]
    for name, result in results.items():
        found = result.count("found") + result.count("timed out")
        share = {
            key: f"{100 * result.coverage[part] / max(1, result.coverage[key]):.1f} % of {result.coverage[key]}"
            for key, part in (("lines", "run"), ("branches", "taken"))
        }
        rows.append(f"| {name} | {found} of {len(result.tried)} | {share['branches']} | {share['lines']} |")
    return "\n".join(rows)


def _read(file: Path | None) -> dict[str, Result]:
    if file is None or not file.exists():
        return {}
    return {
        name: Result(each["possible"], each["coverage"], [Tried(**tried) for tried in each["tried"]])
        for name, each in json.loads(file.read_text("utf-8")).items()
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}; all without")
    parser.add_argument("--faults", type=int, default=100, help="how many faults an area gets (100)")
    parser.add_argument("--seed", type=int, default=7, help="of the draw of faults (7)")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time for the tests of a fault, together (10)")
    parser.add_argument("--json", type=Path, help="where every fault is written; one that is there is not tried again")
    parser.add_argument("--work", type=Path, help="a folder for the copy and what its tests run, to go on from later")
    arguments = parser.parse_args()
    # Ending this process also ends the tests that it runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("faults: ended"))
    if unknown := set(arguments.areas) - set(AREAS):
        parser.error(f"no such area: {', '.join(sorted(unknown))}. There are: {', '.join(AREAS)}")
    areas = {name: area for name, area in AREAS.items() if name in (arguments.areas or AREAS)}
    results = _read(arguments.json)
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        work: Path = arguments.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        sized = (arguments.faults, arguments.seed, arguments.seconds)
        for name, result in measured(ROOT, work.resolve(), areas, *sized, results):
            results[name] = result
            if arguments.json:
                arguments.json.write_text(json.dumps({key: asdict(each) for key, each in results.items()}, indent=1))
    print(table(results))


if __name__ == "__main__":
    main()
