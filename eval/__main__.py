"""`python -m eval`: give a model cases with known right outcomes, and write the figures.

Progress goes to stderr. Results are kept in the work folder, so that an interrupted run continues with the next case.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic_evals.reporting import ReportCase

from eval import figures
from eval.cases import spread
from eval.evaluation import note
from eval.page import put_into
from eval.retrieval import evaluation as retrieval
from eval.running import EVALUATIONS, LOOPS, Run, failures, run_all
from graphwright.errors import GraphwrightError, UsageError

_HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 if all cases were run (single cases: were right), 1 if not, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument("evaluation", nargs="?", choices=[*EVALUATIONS, "retrieval"], help="which; without it, all")
    parser.add_argument("--model", help="the model, as in `graphwright ask --model` (default: the configured one)")
    parser.add_argument("--case", nargs="+", default=[], metavar="ID", help="only these, with what was said")
    parser.add_argument("--most", type=int, default=10_000, help="at most so many, spread over all cases")
    parser.add_argument("--parallel", type=int, default=1, metavar="K", help="how many cases to play at once")
    parser.add_argument("--loop", action="store_true", help="give the cases to the plain loop, too, if there is one")
    parser.add_argument("--keep", action="store_true", help="keep what was played before the code changed")
    parser.add_argument("--publish", action="store_true", help="run nothing: write page and package from the results")
    parser.add_argument("--cases", type=Path, default=_HERE, help="the folder with a folder of cases for each agent")
    parser.add_argument("--results", type=Path, default=_HERE / "results", help="the folder of the files of figures")
    parser.add_argument("--work", type=Path, default=_HERE / "work", help="the folder that keeps what was played")
    parser.add_argument("--page", type=Path, default=_HERE.parent / "docs" / "evaluation.md", help="the page")
    options = parser.parse_args(arguments)
    if min(options.most, options.parallel) < 1:
        parser.error("--most and --parallel must be at least 1.")
    try:
        if options.publish:
            return _publish(options)
        if options.evaluation == "retrieval":
            return 0 if retrieval.run(options.work / "retrieval", options.page, note) else 1
        names = [options.evaluation] if options.evaluation else EVALUATIONS
        done = [asyncio.run(_run(name, options)) for name in names]
        return 0 if all(done) else 1
    except KeyboardInterrupt:
        note("interrupted; the next run goes on from here")
        return 1
    except GraphwrightError as error:
        note(f"{error.message}\n{error.hint}")
        return 2 if isinstance(error, UsageError) else 1


async def _run(name: str, options: argparse.Namespace) -> bool:
    """Run the cases of an agent. Returns whether all were run (single cases: were right), and the targets reached."""
    from graphwright.models import load, model_name

    model, good = load(options.model), True
    for loop in (False, True) if options.loop and name in LOOPS else (False,):
        run = Run(name, options.cases / name, model_name(model), loop)
        evaluation = run.evaluation()
        known = [case.id for case in evaluation.cases]
        if unknown := [id for id in options.case if id not in known]:
            raise UsageError("no_case", f"there is no case {unknown[0]!r}", f"Look into {options.cases / name}.")
        chosen = options.case or spread(known, options.most)
        kept = run.kept(options.work, keep=options.keep)
        note(f"{name}, {run.who}:")
        one = model if options.parallel == 1 else None
        report = await run_all(run, chosen, kept, at_once=options.parallel, model=one)
        if failed := failures(report):
            note("\n".join(["Not run:", *failed]))
            good = False
        elif options.case:
            print("\n".join(map(_told, report.cases)))
            good = good and all(case.assertions["right"].value for case in report.cases)
        else:
            figures.save(options.results, name, run.who, run.model, report)
            missed = evaluation.missed_targets([figures.Row.of(case) for case in report.cases])
            for line in missed:
                note(f"Not reached: {line}")
            good = good and not missed
    if not options.case:
        put_into(options.page, name, figures.markdown(figures.read_all(options.results, name)))
    return good


def _publish(options: argparse.Namespace) -> int:
    found = {name: figures.read_all(options.results, name) for name in EVALUATIONS}
    for name, each in found.items():
        put_into(options.page, name, figures.markdown(each))
    figures.publish([figure for each in found.values() for figure in each])
    return 0


def _told(case: ReportCase) -> str:
    right = case.assertions["right"]
    verdict = "; ".join(filter(None, ["right" if right.value else "", right.reason]))
    return "\n".join(["", f"== {case.name}: {verdict}", *case.output.log])


if __name__ == "__main__":
    sys.exit(main())
