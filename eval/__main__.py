"""`python -m eval`: give a model cases with known right outcomes, and write the figures.

Progress goes to stderr. Results are kept in the work folder, so that an interrupted run continues with the next case.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from eval import figures
from eval.cases import spread
from eval.evaluation import note
from eval.intake.evaluation import Reading
from eval.page import put_into
from eval.retrieval import evaluation as retrieval
from eval.running import LOOPS, NAMES, Judged, Run, run_all
from graphwright.errors import GraphwrightError, UsageError

_HERE = Path(__file__).parent
_OTHERS = (Reading.name,)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 if all cases were run (single cases: were right), 1 if not, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument("evaluation", nargs="?", choices=[*NAMES, *_OTHERS, "retrieval"], help="which; without it, all")
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
    try:
        if options.publish:
            return _publish(options)
        if options.evaluation == "retrieval":
            return 0 if retrieval.run(options.work / "retrieval", options.page, note) else 1
        names = [options.evaluation] if options.evaluation else [*NAMES, *_OTHERS]
        done = [asyncio.run((_played if name in NAMES else _measured)(name, options)) for name in names]
        return 0 if all(done) else 1
    except KeyboardInterrupt:
        note("interrupted; the next run goes on from here")
        return 1
    except GraphwrightError as error:
        note(f"{error.message}\n{error.hint}")
        return 2 if isinstance(error, UsageError) else 1


async def _played(name: str, options: argparse.Namespace) -> bool:
    """Play the cases of an agent that end in a state. Returns whether all succeeded."""
    from graphwright.models import load, model_name

    model = load(options.model)
    right = True
    for loop in (False, True) if options.loop and name in LOOPS else (False,):
        run = Run(name, options.cases / name, model_name(model), loop)
        cases = run.cases().cases
        if unknown := [id for id in options.case if id not in [case.id for case in cases]]:
            raise UsageError("no_case", f"there is no case {unknown[0]!r}", f"Look into {options.cases / name}.")
        chosen = [case for case in cases if case.id in options.case] or spread(cases, options.most)
        kept = run.kept(options.work, keep=options.keep)
        one = model if options.parallel == 1 else None
        note(f"{name}, {run.who}:")
        judged = await run_all(run, chosen, kept, at_once=options.parallel, model=one)
        if options.case:
            print("\n".join(map(_verdict_line, judged)))
            right = right and all(each.verdict.right for each in judged)
            continue
        figures.save(options.results, name, run.who, run.model, judged)
    if not options.case:
        put_into(options.page, name, figures.markdown(figures.read_all(options.results, name)))
    return right


async def _measured(name: str, options: argparse.Namespace) -> bool:
    """Run the evaluation of reading. Returns whether it reached its targets."""
    from graphwright.models import load, model_name

    evaluation = Reading(options.cases / name)
    if unknown := [each for each in options.case if each not in evaluation.ids]:
        raise UsageError("no_case", f"there is no case {unknown[0]!r}", f"Known: {', '.join(evaluation.ids)}.")
    model = load(options.model)
    found = await evaluation.run(options.case, model, model_name(model), options.work / name)
    if options.case:
        for title, log in found.logs():
            print("\n".join(["", f"== {title}", *log]))
        return found.right
    put_into(options.page, name, found.markdown())
    for line in found.missed_targets:
        note(f"not reached: {line}")
    return not found.missed_targets


def _publish(options: argparse.Namespace) -> int:
    found = {name: figures.read_all(options.results, name) for name in NAMES}
    for name, each in found.items():
        put_into(options.page, name, figures.markdown(each))
    figures.publish([figure for each in found.values() for figure in each])
    return 0


def _verdict_line(each: Judged) -> str:
    verdict = "right" if each.verdict.right else "; ".join(each.verdict.reasons)
    shown = [f"shown and declined: {line}" for line in each.verdict.shown]
    return "\n".join(["", f"== {each.case.id}: {verdict}", *shown, *each.played.log])


if __name__ == "__main__":
    sys.exit(main())
