"""`python -m eval`: run the cases that have no result yet, with progress on stderr, and write the report."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from eval.assistant.evaluation import Researching
from eval.data_scientist.evaluation import Answering
from eval.evaluation import Evaluation, note
from eval.graph_editor.evaluation import GraphEditing
from eval.intake.evaluation import Reading
from eval.page import put_into
from eval.upgrade.evaluation import Upgrading
from graphwright.errors import GraphwrightError, UsageError

_HERE = Path(__file__).parent
_EVALUATIONS: dict[str, type[Reading | GraphEditing | Upgrading | Answering | Researching]] = {
    each.name: each for each in (Reading, GraphEditing, Upgrading, Answering, Researching)
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every target is reached (or single cases were right), 1 when not, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument("evaluation", nargs="?", choices=list(_EVALUATIONS), help="which; without it, all")
    parser.add_argument("ids", nargs="*", help="only these cases of it; the report is left alone")
    parser.add_argument("--cases", type=Path, default=_HERE, help="the folder with a folder of cases for each")
    parser.add_argument("--results", type=Path, default=_HERE / "results", help="the folder that keeps the results")
    parser.add_argument("--report", type=Path, default=_HERE.parent / "docs" / "evaluation.md", help="the page")
    options = parser.parse_intermixed_args(arguments)
    names = [options.evaluation] if options.evaluation else list(_EVALUATIONS)
    try:
        evaluations = [_EVALUATIONS[name](options.cases / name) for name in names]
        return asyncio.run(_evaluate(evaluations, options.results, options.report, options.ids))
    except KeyboardInterrupt:
        note("interrupted; the next run goes on from here")
        return 1
    except GraphwrightError as error:
        note(f"{error.message}\n{error.hint}")
        return 2 if isinstance(error, UsageError) else 1


async def _evaluate(evaluations: Sequence[Evaluation], results: Path, report: Path, ids: Sequence[str]) -> int:
    from graphwright.models import load, model_name

    known = [case for evaluation in evaluations for case in evaluation.ids]
    if unknown := [each for each in ids if each not in known]:
        raise UsageError("no_case", f"there is no case {unknown[0]!r}", f"Known: {', '.join(known)}.")
    model = load()
    name = model_name(model)
    reached = True
    for evaluation in evaluations:
        figures = await evaluation.run(ids, model, name, results / evaluation.name)
        if ids:
            for title, log in figures.logs():
                print("\n".join(["", f"== {title}", *log]))
            reached = reached and figures.right
            continue
        put_into(report, evaluation.name, figures.markdown())
        for line in figures.missed_targets:
            note(f"not reached: {line}")
        reached = reached and not figures.missed_targets
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
