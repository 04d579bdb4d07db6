"""Threads of log entries: whose thread tells a reason or a remedy, and where its entries stand among the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright.agents.assistant.known import QUERY
from graphwright.agents.assistant.question import Question, grounds
from graphwright.agents.assistant.relevance import MOST_SHOWN, UNCOVERED, Relevance
from graphwright.agents.assistant.selecting import MOST_THREADS
from graphwright.agents.assistant.words import EVERYDAY, RELATIONS, content_words, folded
from graphwright.tools.sources import Source

MOST_MATES = 2
"""Entries that stand behind those whose threads they are of."""

_AS_GOOD = 0.8
"""The part of what the best entry covers from which on another one is as good."""


def _number(source: Source) -> int:
    """The number of a log entry; 0 of what is none."""
    number = source.metadata.get("id", "") if source.kind == "elog" else ""
    return int(number) if number.isdecimal() else 0


def worth_reading(
    question: Question, arguments: Mapping[str, Any], sources: Sequence[Source], synonyms: Mapping[str, Sequence[str]]
) -> list[list[int]]:
    """The threads worth reading of what a search with these arguments found, as the numbers of entries known of each.

    The first number is that of an entry that fits the words searched for as well as the best one does; not all of its
    thread was found. Where not a reason or a remedy but a thread is wanted, it is that of the best one in any case.
    """
    entries = [source for source in sources if _number(source)]
    asked = content_words(" ".join(str(arguments[name]) for name in QUERY & arguments.keys()))
    about = tuple(term for term in asked if folded(term) not in EVERYDAY | RELATIONS)
    relevance = Relevance(replace(question, terms=about, goes_on=False), entries, synonyms)
    covered = {_number(source): value for source, value in zip(entries, relevance.covered, strict=True)}
    ranked = [_number(source) for source in relevance.ranked()]
    least = max(UNCOVERED, _AS_GOOD * relevance.best) if about else 0.0
    threads = [list(_of_one_thread(number, entries)) for number in ranked if covered[number] >= least]
    unread = [thread for thread in threads if not set(thread) <= covered.keys()]
    in_any_case = question.wants_thread or not question.explained
    return unread or [[number] for number in ranked[:1] if in_any_case]


def _of_one_thread(number: int, sources: Sequence[Source]) -> dict[int, int]:
    """The entries of the thread of one, as far as the sources tell, and how many answers they are apart from it."""
    related: dict[int, set[int]] = {}
    for source in sources:
        own = _number(source)
        others = f"{source.metadata.get('reply_to', '')} {source.metadata.get('replies', '')}".replace(",", " ").split()
        for other in (int(each) for each in others if own and each.isdecimal()):
            related.setdefault(own, set()).add(other)
            related.setdefault(other, set()).add(own)
    apart = {number: 0}
    ahead = [number]
    for each in ahead:
        new = sorted(related.get(each, set()) - apart.keys())
        apart |= dict.fromkeys(new, apart[each] + 1)
        ahead += new
    return apart


def with_mates(
    question: Question,
    shown: Sequence[Source],
    found: Sequence[Source],
    synonyms: Mapping[str, Sequence[str]],
) -> list[Source]:
    """The sources that are shown, for a reason or a remedy with what was found of a thread behind the entry it is of.

    At most two threads are shown so. Where there are too many sources, log entries of none of them go.
    """
    if not question.explained:
        return list(shown)
    by_number = {_number(source): source for source in found if _number(source)}
    threads: list[list[Source]] = []
    for first in shown:
        apart = _of_one_thread(_number(first), found)
        mates = sorted(
            (by_number[number] for number in apart if number in by_number and number != _number(first)),
            # What is of the kind that is spoken of ("repaired": a fix) tells more than what stands nearer.
            key=lambda mate: (
                not grounds(mate.metadata.get("category") or "-", question.text, synonyms),
                apart[_number(mate)],
                _number(mate),
            ),
        )
        if mates and len(threads) < MOST_THREADS and not any(first in thread for thread in threads):
            threads.append([first, *mates])
    # One finds room in any case.
    room = max(1, MOST_SHOWN - sum(source.kind != "elog" for source in shown) - len(threads))
    threads = threads[:room]
    each = 1 + min(MOST_MATES, room) // max(1, len(threads))
    behind = {_number(thread[0]): thread[1:each] for thread in threads}
    # An entry that stands behind another one does not stand alone as well.
    alone = [source for source in shown if not any(source in mates for mates in behind.values())]
    rows = [entry for source in alone for entry in (source, *behind.get(_number(source), ()))]
    kept = [source for source in rows if source.kind != "elog" or any(source in thread[:each] for thread in threads)]
    spare = max(len(shown), MOST_SHOWN) - len(kept)
    others = [source for source in rows if source not in kept][: max(0, spare)]
    return [source for source in rows if source in kept or source in others]
