"""Judging researched answers: sources and their order, facts, claims, inventions, and unanswerable questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eval.asking import AskedQuestion, Broken, TurnVerdict, judged_turns
from eval.assistant.questions import ENTRY, Expect, ResearchQuestion
from eval.evaluation import Verdict
from eval.wording import even, language, refuses

_SMALL = 31
"""Whole numbers up to this one count days, entries and lines."""

_CITED = re.compile(
    rf"{ENTRY}|(?:https?|file)://[^\s<>\"'`|\\\]]+|\]\(\s*<?[^)\s>]+|\b(?:aurora|booster|linac|facility)/[\w-]+"
    r"|(?<![\w-])[\w-]+(?:/[\w.-]+)*\.(?:md|html|pdf|rst|txt|toml)\b",
    re.IGNORECASE,
)
"""All forms in which an answer can refer to a source."""


def judged(case: ResearchQuestion, asked: AskedQuestion) -> Verdict:
    """The verdict on a question."""

    def judge(expect: Expect, answer: Mapping[str, Any]) -> TurnVerdict:
        text, broken = answer["text"], list(_broken(expect, answer))
        made_up = [*answer["links"], *answer["entries"], *(_numbers(answer) if expect.unanswerable else ())]
        if language(text) not in ("", case.language):
            broken.append(("language", f"it is not in {case.language}"))
        if expect.unanswerable:
            return TurnVerdict(broken, made_up, {"recognised": not broken})
        refused = bool(broken) and refuses(text) and not any(fact.stands_in(text) for fact in expect.facts)
        found = {"cited": not _uncited(expect, text), "first": _leads(expect, text)}
        return TurnVerdict(broken, made_up, found, refused)

    expected = [case.first, case.expect] if case.first else [case.expect]
    words = "other than the source" if case.other_words else "those of the source"
    groups = {"corpus": "file" if case.files else case.corpus, "style": case.style, "words": words}
    decided = "refusal" if case.expect.unanswerable else "facts"
    return judged_turns(case, asked, expected, judge, decided=decided, groups=groups)


def _broken(expect: Expect, answer: Mapping[str, Any]) -> Iterator[Broken]:
    text = answer["text"]
    if not text.strip():
        yield "failed", "there is no answer"
        return
    says = _own_words(text)
    yield from (("source", f"it does not cite {' or '.join(group)}") for group in _uncited(expect, text))
    yield from (("fact", f"it does not say {each.any[0]}") for each in expect.facts if not each.stands_in(says))
    yield from (("forbidden", f"it says {each.says}") for each in expect.never if each.stands_in(says))
    if expect.unanswerable:
        if not refuses(says):
            yield "refusal", "it does not say that nothing was found"
        yield from (("invented", f"{each} stands in no source") for each in _numbers(answer))
    yield from (("invented", f"{each} stands in no source") for each in (*answer["links"], *answer["entries"]))


def _uncited(expect: Expect, text: str) -> list[Sequence[str]]:
    """The groups of sources of which an answer cites none."""
    return [group for group in expect.sources if not any(_points(source).search(text) for source in group)]


def _points(source: str) -> re.Pattern[str]:
    """The forms in which an answer can refer to a source: the number of an entry, the path of a page, a file name."""
    if source.startswith("#"):
        number = source[1:]
        return re.compile(ENTRY.replace(r"\d{1,4}", number) + rf"|/{number}\b", re.IGNORECASE)
    stem, _, suffix = source.rpartition(".")
    whole = rf"(?<![\w-]){re.escape(stem)}\.{suffix}"
    bare = rf"|(?<![\w/-]){re.escape(stem)}" if "/" in stem else ""
    return re.compile(rf"(?:{whole}|/{re.escape(stem)}{bare})(?![\w-])", re.IGNORECASE)


def _leads(expect: Expect, text: str) -> bool:
    """Whether the first source that an answer refers to is one of the right sources."""
    first = _CITED.search(text)
    return first is not None and any(_points(source).search(first[0]) for group in expect.sources for source in group)


def _own_words(text: str) -> str:
    """A text without its quoted lines, such as the passages of a list of sources."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def _numbers(answer: Mapping[str, Any]) -> list[str]:
    """The numbers of an answer to an unanswerable question that are in no source, without small ones and times."""
    moments = " ".join(re.findall(r"\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d(?:[:.]\d{2,4})?|\b(?:19|20)\d\d\b", answer["text"]))
    return [
        each
        for each in answer["numbers"]
        if each.strip("-+") not in moments and not (even(each).isdigit() and int(even(each)) <= _SMALL)
    ]
