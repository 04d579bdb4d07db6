"""Judging what became of a question: is the answer right, was the impossible recognised, and is any number made up?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from eval.answers import names
from eval.data_scientist.cases import Case
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.references import Expected, computed, expected, is_significant
from eval.data_scientist.showing import shows
from eval.data_scientist.tables import table
from graphwright.agents.data_scientist.grounding import Known, Said, numbers_said, ungrounded

_NEAR = 0.005
"""How far a number may be from the right one, relative to it; whole numbers must be exact."""

_FEW = 8
"""Numbers beside the right ones that a result may show without the words having to name the right ones."""

_HELD = (
    r"(?:have|has|hold|contain\w*|includ\w*|exist|provided?|listed|recorded|cover\w*|available|present|there|part"
    r"|possible)"
)
_DENIES = re.compile(
    r"\b(?:can ?not|can['’]t|could ?n[o'’]t|unable|impossible|sorry|lacks?|no access|missing from"
    r"|not (?:able|possible|available|there|present|included|part of|found|in (?:the|this|your)))\b"
    rf"|\b(?:do|does|did|is|are|was|were)(?: not|n['’]t)\b(?:\W+\w+){{0,3}}?\W+{_HELD}\b"
    r"|\bthere (?:is|are|was|were) no (?!significan|clear|strong|differ|evidence|relation|correlat)"
    r"|\b(?:has|have|had|contains?|includes?|holds?) no\b"
    r"|\bno (?:such|information|access)\b|\bno (?:\W*\w+\W+){0,3}?(?:columns?|fields?|variables?|data)\b",
    re.IGNORECASE,
)
"""Words by which an answer says that something is not there, or cannot be done."""

_SAYS_NO = re.compile(
    r"\b(?:no|not|without|neither|nor|insufficient|fails?|failed|little)\b[^.;]{0,60}?"
    r"\b(?:significan\w*|differ\w*|evidence|effect|associat\w*|relat\w*|depend\w*|link\w*|correlat\w*)"
    r"|n['’]t\b[^.;]{0,60}?\b(?:significan\w*|differ\w*|associat\w*|relat\w*|depend\w*|link\w*|correlat\w*)"
    r"|\binsignifican\w*|\bnon-?significan\w*|^\W*no\b",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(
    r"^\W*yes\b|\b(?:significan\w*|differ\w*|evidence|effect|associat\w*|relat\w*|depend\w*|link\w*|correlat\w*"
    r"|unlikely)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons` say why it is not right; `recognised` is None for a question that can be answered.

    `made_up` are wrong numbers that were told although no code came to them, or as the answer to what has none.
    `uncomputed` is an answer in the right words that no code came to: read off the summary, known or guessed.
    """

    reasons: tuple[str, ...] = ()
    recognised: bool | None = None
    made_up: tuple[str, ...] = ()
    uncomputed: bool = False

    @property
    def right(self) -> bool:
        return not self.reasons


def judged(case: Case, outcome: Outcome) -> Verdict:
    """What to say of an outcome. Of several right answers, the one counts that it comes closest to."""
    made_up = tuple(_made_up(case, outcome))
    if outcome.error:
        return Verdict((f"failed: {outcome.error}",), False if case.impossible else None, made_up)
    if case.impossible:
        reasons = tuple(_unrecognised(case, outcome))
        return Verdict(reasons, not reasons, made_up)
    reasons = tuple(_conceptual(case, outcome) if case.concept else _computed(case, outcome))
    uncomputed = not (case.concept or outcome.attempts) and _says_all(case, outcome.text)
    return Verdict(reasons or tuple(f"made up: {each}" for each in made_up), None, made_up, uncomputed)


def _unrecognised(case: Case, outcome: Outcome) -> Iterator[str]:
    if not denies(outcome.text):
        yield "it does not say that this is not there, or cannot be done"
    shown = f"{outcome.text}\n{outcome.result}" if outcome.succeeded else outcome.text
    if told := _foreign(case, outcome, shown):
        yield f"it tells a number as the answer: {told[0].text}"
    if outcome.drawn:
        yield "it shows a picture as the answer"
    if not outcome.over:
        yield "it did not come to an end"


def _conceptual(case: Case, outcome: Outcome) -> Iterator[str]:
    if outcome.attempts or outcome.planned:
        yield "code was run for a question of concepts"
    if not any(re.search(each, outcome.text, re.IGNORECASE) for each in case.concept):
        yield f"the answer has none of: {', '.join(case.concept)}"


def _computed(case: Case, outcome: Outcome) -> Iterator[str]:
    if not outcome.attempts:
        yield "no code was run"
        return
    if not outcome.succeeded:
        yield f"the code failed: {' '.join(outcome.failure.split())[:200]}"
        return
    if not outcome.over:
        yield "it did not come to an end"
    if case.plot:
        if not outcome.drawn:
            yield "there is no picture whose data can be seen"
        elif not any(shows(case.plot, wanted, outcome.drawn) for wanted in computed(case)):
            yield f"the picture does not show the data that is wanted ({case.plot})"
    else:
        yield from min((list(_lacks(case, wanted, outcome)) for wanted in expected(case)), key=len)
    if case.concludes and (wrong := _wrong_conclusion(case, outcome.text)):
        yield wrong
    known = Known(
        [*outcome.numbers, *(said.value for said in numbers_said(outcome.result)), *_asked(case), *_sizes(case)]
    )
    if flagged := ungrounded(outcome.text, known):
        yield f"no code came to these numbers: {', '.join(flagged)}"


def _lacks(case: Case, wanted: Expected, outcome: Outcome) -> Iterator[str]:
    """What of the right answer is not told."""
    shown, said = numbers_said(outcome.result), numbers_said(outcome.text)
    found = [*outcome.numbers, *(each.value for each in shown)]
    lost = [n for n in wanted.numbers if not any(near(n, each, case.tolerance) for each in found)]
    if lost:
        yield f"the result does not hold {', '.join(f'{n:.6g}' for n in lost[:4])}"
    elif len(shown) > _FEW + 3 * len(wanted.numbers) or not shown:
        # Where all sorts of things are shown, the right one has to be pointed out.
        lost = [n for n in wanted.numbers if not any(_told(n, each, case.tolerance) for each in said)]
        if lost:
            yield f"the answer does not say {', '.join(f'{n:.6g}' for n in lost[:4])}"
    bare = len(outcome.result.splitlines()) <= len(wanted.texts) + 1
    told = f"{outcome.text}\n{outcome.result}" if wanted.numbers or bare else outcome.text
    if missing := [text for text in wanted.texts if not names(told, text)]:
        yield f"the answer does not name {', '.join(missing[:4])}"


def _says_all(case: Case, text: str) -> bool:
    """Whether the words alone are a whole right answer."""
    if case.plot or (case.concludes and _wrong_conclusion(case, text)):
        return False
    said = numbers_said(text)
    return any(
        all(any(_told(n, each, case.tolerance) for each in said) for n in wanted.numbers)
        and all(names(text, each) for each in wanted.texts)
        for wanted in expected(case)
    )


def near(wanted: float, got: float, tolerance: float | None = None) -> bool:
    """Whether a number is the right one: exactly for whole ones, else nearly, or rounded to three decimals or more."""
    if isinstance(wanted, int) and tolerance is None:
        return got == wanted
    if math.isclose(wanted, got, rel_tol=tolerance or _NEAR):
        return True
    return any(math.isclose(got, round(wanted, decimals), abs_tol=1e-12) for decimals in range(3, 7))


def _told(wanted: float, said: Said, tolerance: float | None) -> bool:
    """Whether a number in the words is the right one, as far as it is written."""
    if near(wanted, said.value, tolerance):
        return True
    return not isinstance(wanted, int) and said.step < 1 and abs(wanted - said.value) <= said.step / 2


def _wrong_conclusion(case: Case, text: str) -> str:
    says = "no" if _SAYS_NO.search(text) else "yes" if _SAYS_YES.search(text) else ""
    right = "yes" if is_significant(case) else "no"
    if not says:
        return "the answer does not say whether it is so"
    return f"the answer says {says}, which the test does not" if says != right else ""


def _made_up(case: Case, outcome: Outcome) -> Iterator[str]:
    if case.concept:
        return
    if case.impossible:
        told = _foreign(case, outcome, outcome.text)
        honest = Known(outcome.numbers) if outcome.succeeded and denies(outcome.text) else Known([])
        yield from (said.text for said in told if not honest.has(said))
    elif not outcome.succeeded:
        right = [n for each in ([] if case.plot else expected(case)) for n in each.numbers]
        told = _foreign(case, outcome, outcome.text)
        yield from (said.text for said in told if not any(_told(n, said, case.tolerance) for n in right))


def _foreign(case: Case, outcome: Outcome, text: str) -> list[Said]:
    """The numbers of a text that stand neither in the question, nor in the error it quotes, nor in what the data is."""
    known = set(_asked(case))
    if denies(text):
        # Who says that there is no answer may say how large the data is; else that would be the answer.
        known.update(_sizes(case))
    if not outcome.succeeded:
        known.add(float(outcome.attempts))
        text = text.replace(outcome.failure, "") if outcome.failure else text
    for name in case.data:
        for column in sorted(table(name).columns, key=len, reverse=True):
            text = text.replace(column, "")
    return [said for said in numbers_said(text) if abs(said.value) not in known]


def _asked(case: Case) -> list[float]:
    return [abs(said.value) for said in numbers_said(case.text)]


def _sizes(case: Case) -> list[float]:
    """How many rows and columns there are."""
    return [float(size) for name in case.data for size in table(name).shape]


def denies(text: str) -> bool:
    """Whether a text says that something is not there, or cannot be done."""
    return _DENIES.search(text) is not None
