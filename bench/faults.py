"""`python -m bench.faults`: how many faults of mutmut the tests of an area find, and how many branches they take.

Each area gets a copy of the project in which mutmut makes its faults; areas are in faults.toml.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutmut.configuration import reset_config
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

ROOT = Path(__file__).parent.parent
_PROGRAMS = Path(sys.executable).parent

TIMEOUT_SECONDS = 30
"""The wall seconds for the tests of a fault in addition to some `_TIMES` their time without it; twice as many of CPU.

They are so many because other work on the machine must not look like a fault.
"""

_TIMES = 10

_BESIDE = ("bench", "docs", "eval", "examples", "scripts")
"""Folders that tests read."""

_LEFT_OUT = (r'"\w[^"]* \w[^"]*"', r"_logger\.", r"\bassert\b")
"""Lines without faults: texts for people, logging and assertions, which tests should not check."""

_OUTCOMES = {"killed": "found", "segfault": "found", "suspicious": "found", "timeout": "timed out"}
"""The outcome for a status of mutmut; all others mean that no test found the fault."""

_WAITING = "not checked"

_OPTIONS = ("-m", "not slow", "-pno:xdist", "--hypothesis-seed=0")


@dataclass(frozen=True, slots=True)
class Area:
    """Sources below `src` and their tests below `tests`, as patterns: see faults.toml."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    functions: str = ""
    others: str = ""
    whole: tuple[str, ...] = ()

    def files(self, tree: Path) -> dict[str, bool]:
        """The existing sources, and whether each is unrestricted."""
        narrowed = bool(self.functions or self.others)
        whole = dict.fromkeys(_matching(tree, "src", self.whole), True)
        return {**dict.fromkeys(_matching(tree, "src", self.sources), not narrowed), **whole}

    def test_files(self, tree: Path) -> list[str]:
        return [each for each in _matching(tree, "tests", self.tests) if Path(each).name.startswith("test_")]

    def holds(self, function: str) -> bool:
        """Whether a function of a restricted source belongs to the area."""
        if self.functions and not re.search(self.functions, function):
            return False
        return not (self.others and re.search(self.others, function))


AREAS = {
    name: Area(**{key: value if isinstance(value, str) else tuple(value) for key, value in fields.items()})
    for name, fields in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def notify(what: str) -> None:
    """Print progress."""
    print(f"faults: {what}", file=sys.stderr, flush=True)


def _matching(tree: Path, below: str, patterns: Iterable[str]) -> list[str]:
    return sorted({path.relative_to(tree).as_posix() for each in patterns for path in (tree / below).glob(each)})


class Tree:
    """A copy of the project for one area, in the form that mutmut expects: all packages in `src`, tests in `tests`."""

    def __init__(self, folder: Path, area: Area) -> None:
        self.folder, self.area = folder, area
        if not folder.exists():
            ignored = shutil.ignore_patterns("__pycache__", "node_modules", "static", "work", ".*")
            for source in ROOT.glob("packages/*/src/*/__init__.py"):
                shutil.copytree(source.parent, folder / "src" / source.parent.name, ignore=ignored)
            for name in ("tests", *_BESIDE):
                shutil.copytree(ROOT / name, folder / name, ignore=ignored)
            # On the path of mutmut from its start, when it has not copied anything yet.
            (folder / "mutants" / "src").mkdir(parents=True)
            shutil.copy(ROOT / "pyproject.toml", folder)

    def coverage(self) -> dict[str, int]:
        """The numbers of lines and branches of the area, and of those that its tests run (lines, run, branches, taken).

        Settings for mutmut leave out the tests that fail here. The result is kept in the tree.
        """
        report, files = self.folder / "coverage.json", self.area.files(self.folder)
        if not report.exists():
            run = ("run", "--branch", f"--include={','.join(files)}", "-m", "pytest", "-q", *_OPTIONS)
            self._run("coverage", *run, *self.area.test_files(self.folder))
            self._configure()
            self._run("coverage", "json", "-q", "-o", str(report), *files)
        measured: Mapping[str, Any] = json.loads(report.read_text("utf-8"))["files"]
        total = {"lines": 0, "run": 0, "branches": 0, "taken": 0}
        for path, whole in files.items():
            for part in [measured[path]] if whole else self._functions_of(measured[path]):
                summary = part["summary"]
                total["lines"] += summary["num_statements"]
                total["run"] += summary["covered_lines"]
                total["branches"] += summary["num_branches"]
                total["taken"] += summary["covered_branches"]
        return total

    def _functions_of(self, measured: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [part for name, part in measured["functions"].items() if name and self.area.holds(name)]

    def _configure(self) -> None:
        failed = self.folder / ".pytest_cache" / "v" / "cache" / "lastfailed"
        left_out = list(json.loads(failed.read_text("utf-8"))) if failed.exists() else []
        if left_out:
            notify(f"left out, as they do not pass without a fault: {', '.join(left_out)}")
        settings = {
            "source_paths": ["src"],
            "only_mutate": list(self.area.files(self.folder)),
            "do_not_mutate_patterns": list(_LEFT_OUT),
            "also_copy": list(_BESIDE),
            "pytest_add_cli_args": [*_OPTIONS, "-pno:cacheprovider", *(f"--deselect={test}" for test in left_out)],
            "pytest_add_cli_args_test_selection": self.area.test_files(self.folder),
            "timeout_constant": TIMEOUT_SECONDS / _TIMES,
            "timeout_multiplier": _TIMES,
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        text = (ROOT / "pyproject.toml").read_text("utf-8")
        (self.folder / "pyproject.toml").write_text("\n".join([text, "[tool.mutmut]", *lines, ""]), "utf-8")

    def faults(self) -> list[str]:
        """The names that mutmut gives to all possible faults of the area."""
        found = []
        with contextlib.chdir(self.folder):
            reset_config()
            for path, whole in self.area.files(self.folder).items():
                for name in mutate_file_contents(path, Path(path).read_text("utf-8")).mutant_names:
                    function = re.sub("^x[_ǁ]", "", name.partition("__mutmut_")[0]).replace("ǁ", ".")
                    if whole or self.area.holds(function):
                        found.append(get_mutant_name(Path(path), name))
        return found

    def outcomes(self, faults: Sequence[str]) -> dict[str, str]:
        """The outcomes of these faults: those of an earlier run, and new ones, each made alone."""
        known = self._outcomes()
        if waiting := [each for each in faults if known.get(each, _WAITING) == _WAITING]:
            if code := self._run("mutmut", "run", "--max-children", "1", *waiting):
                raise SystemExit(f"faults: mutmut ended with exit code {code}; its output is above")
            known = self._outcomes()
        return {each: _OUTCOMES.get(known[each], "survived") for each in faults}

    def _outcomes(self) -> dict[str, str]:
        found = (line.strip().rsplit(": ", 1) for line in self._output("results", "--all", "true").splitlines())
        return {each[0]: each[1] for each in found if len(each) == 2}

    def difference(self, fault: str) -> str:
        """The difference that a fault makes."""
        return self._output("show", fault)

    def _run(self, program: str, *arguments: str) -> int:
        command = [str(_PROGRAMS / program), *arguments]
        return subprocess.run(command, cwd=self.folder, env=self._environment(), stdout=sys.stderr).returncode

    def _output(self, *arguments: str) -> str:
        command = [str(_PROGRAMS / "mutmut"), *arguments]
        return subprocess.run(command, cwd=self.folder, env=self._environment(), capture_output=True, text=True).stdout

    def _environment(self) -> dict[str, str]:
        # Processes that tests start import the faulty packages as soon as mutmut has made them.
        paths = (self.folder / "mutants" / "src", self.folder / "src")
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


def table(results: Mapping[str, tuple[Counter[str], Mapping[str, int]]]) -> str:
    """The numbers of outcomes and of lines and branches by area, as a table in Markdown."""
    rows = ["| area | faults found | timed out | survived | branches taken | lines run |", "|---|---|---|---|---|---|"]
    for name, (outcomes, covered) in results.items():
        counts = " | ".join(str(outcomes[each]) for each in ("found", "timed out", "survived"))
        shares = " | ".join(
            f"{100 * covered[part] / max(1, covered[all_]):.1f} % of {covered[all_]:,}"
            for all_, part in (("branches", "taken"), ("lines", "run"))
        )
        rows.append(f"| {name} | {counts} | {shares} |")
    return "\n".join(rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}; all without")
    parser.add_argument("--faults", type=int, default=50, help="how many faults an area gets (50)")
    parser.add_argument("--seed", type=int, default=7, help="of the draw of faults (7)")
    parser.add_argument("--work", type=Path, help="a folder for copies and outcomes, to go on from later")
    arguments = parser.parse_args()
    if unknown := set(arguments.areas) - set(AREAS):
        parser.error(f"no such area: {', '.join(sorted(unknown))}. There are: {', '.join(AREAS)}")
    results = {}
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        for name in arguments.areas or AREAS:
            tree = Tree((arguments.work or Path(folder)).resolve() / name, AREAS[name])
            covered, faults = tree.coverage(), tree.faults()
            # A sample of fewer faults is the beginning of a sample of more.
            random.Random(arguments.seed).shuffle(faults)
            outcomes = tree.outcomes(faults[: arguments.faults])
            for fault, outcome in outcomes.items():
                if outcome == "survived":
                    print(tree.difference(fault))
            results[name] = Counter(outcomes.values()), covered
    print(table(results))


if __name__ == "__main__":
    main()
