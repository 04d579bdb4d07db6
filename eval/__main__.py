"""`python -m eval`: run the cases that have no result yet, with progress on stderr, and write the report."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eval.cases import Conversation, Utterance, read_conversations, read_utterances
from eval.report import Figures
from eval.results import Results
from eval.running import Result, run_conversation, run_utterance
from graphwright.errors import GraphwrightError, UsageError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent
_Case = TypeVar("_Case", Utterance, Conversation)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every target is reached (or single cases were right), 1 when not, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument("ids", nargs="*", help="only these cases; the report is left alone")
    parser.add_argument("--cases", type=Path, default=_HERE, help="the folder of the cases")
    parser.add_argument("--results", type=Path, default=_HERE / "results", help="the folder that keeps the results")
    parser.add_argument("--report", type=Path, default=_HERE.parent / "docs" / "evaluation.md", help="the page")
    options = parser.parse_args(arguments)
    try:
        return asyncio.run(_evaluate(options.cases, options.results, options.report, options.ids))
    except KeyboardInterrupt:
        _note("interrupted; the next run goes on from here")
        return 1
    except GraphwrightError as error:
        _note(f"{error.message}\n{error.hint}")
        return 2 if isinstance(error, UsageError) else 1


async def _evaluate(cases: Path, results_folder: Path, report: Path, ids: Sequence[str]) -> int:
    from graphwright.models import load, model_name

    utterances, conversations = read_utterances(cases), read_conversations(cases)
    known = [case.id for case in utterances] + [case.id for case in conversations]
    if unknown := [each for each in ids if each not in known]:
        raise UsageError("no_case", f"there is no case {unknown[0]!r}", f"Known: {', '.join(known)}.")
    model = load()
    name = model_name(model)
    results = Results(results_folder, name)
    figures = Figures(
        name,
        await _all([u for u in utterances if not ids or u.id in ids], run_utterance, model, results),
        await _all([c for c in conversations if not ids or c.id in ids], run_conversation, model, results),
    )
    if ids:
        done = figures.results
        for result in done:
            print("\n".join(["", f"== {result.id}", *result.log]))
        return 0 if all(result.right for result in done) else 1
    figures.put_into(report)
    for line in figures.missed_targets:
        _note(f"not reached: {line}")
    return 1 if figures.missed_targets else 0


async def _all(
    cases: Sequence[_Case],
    run: Callable[[_Case, BaseChatModel], Awaitable[Result]],
    model: BaseChatModel,
    results: Results,
) -> list[tuple[_Case, Result]]:
    """The results of the cases, those that are kept and those that are run now."""
    found = []
    for number, case in enumerate(cases, 1):
        kept = results.of(case)
        result = kept or await run(case, model)
        if kept is None:
            results.add(case, result)
        took = "kept" if kept else f"{result.seconds:.1f} s, {result.model_calls} model calls"
        _note(f"{number}/{len(cases)} {case.id}: {'right' if result.right else result.reason} ({took})")
        found.append((case, result))
    return found


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
