"""Judging answers over data: the values, names, figure, conclusion of a test, and unanswerable questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eval.asking import AskedQuestion, Broken, TurnVerdict, beside, judged_turns
from eval.data_scientist.questions import DataQuestion, Expect, Numbers
from eval.data_scientist.references import table
from eval.evaluation import Verdict
from eval.wording import concludes, even, folded, in_digits, is_number, numbers, places, refuses
from graphwright.text.numerals import numerals

MOST_NUMBERS = 40
"""The maximum number of values in a result that count as an answer; in a larger one the text must name them."""

_USUAL = ("0.05", "0.01", "0.001", "5", "95", "99", "100", "50")
"""Usual levels of tests and intervals, which need not follow from a result."""

_SMALL = 12
"""Whole numbers up to this one count named things."""

_NO_VALUES = ("concept",)


def judged(case: DataQuestion, asked: AskedQuestion) -> Verdict:
    """The verdict on a question."""

    def judge(expect: Expect, answer: Mapping[str, Any]) -> TurnVerdict:
        made_up = [] if case.kind in _NO_VALUES else _unsupported_numbers(answer)
        broken = list(_broken(case, expect, answer))
        broken += [("invented", f"{each} follows from nothing") for each in made_up if not beside(answer, each)]
        if expect.impossible:
            return TurnVerdict(broken, made_up, {"recognised": not broken})
        refused = bool(broken) and refuses(answer["text"]) and (broken[0][0] == "refusal" or not answer["table"])
        return TurnVerdict(broken, made_up, {}, refused)

    return judged_turns(case, asked, case.expect, judge, decided=_decided(case.expect[-1]), groups={})


def _decided(expect: Expect) -> str:
    if expect.impossible:
        return "refusal"
    return "figure" if expect.figure else "values" if expect.values is not None else "words"


def _broken(case: DataQuestion, expect: Expect, answer: Mapping[str, Any]) -> Iterator[Broken]:
    text, result = answer["text"], answer["table"]
    if answer["failed"] or not text.strip():
        yield "failed", "there is no answer"
        return
    if expect.impossible:
        if not (refuses(text) or any(re.search(each, even(text)) for each in expect.admits)):
            yield "refusal", f"it does not say that it cannot be answered: {expect.impossible}"
        if answer["figures"] or answer["pictures"]:
            yield "refusal", "it draws what is not there"
    counted = in_digits(text)
    shown = f"{counted}\n{result}" if sum(1 for _ in numerals(result)) <= MOST_NUMBERS else counted
    if expect.figure is not None:
        yield from _drawn(expect, answer, f"{counted}\n{result}")
    elif expect.values is not None:
        if refuses(text) and any(True for _ in _valued(case, expect, counted)):
            yield "refusal", "it says that it cannot be answered"
        yield from _valued(case, expect, shown)
    yield from (
        ("words", f"it does not say {each.any[0]}") for each in expect.says if not each.stands_in(f"{text}\n{shown}")
    )
    yield from (("claim", f"it says {each.says}") for each in expect.never if each.stands_in(text))
    if expect.concludes and concludes(text) is not (expect.concludes == "significant"):
        yield "conclusion", f"it does not conclude {expect.concludes}"


def _drawn(expect: Expect, answer: Mapping[str, Any], shown: str) -> Iterator[Broken]:
    assert expect.figure is not None
    if why := expect.figure.missed(answer["figures"]):
        # For a picture in pixels, the result of the program must contain its values.
        values = expect.figure.values
        series = [each for each in values.values() if isinstance(each, Mapping)] or [values]
        if not answer["pictures"] or any(_unpaired(expect, each, shown) for each in series):
            yield "figure", why


def _valued(case: DataQuestion, expect: Expect, shown: str) -> Iterator[Broken]:
    assert expect.values is not None
    ways = [expect.values, *(each.values for each in expect.also_ok)]
    missing = min((_missing(expect, way, shown) for way in ways), key=len)
    there = len(expect.values) if isinstance(expect.values, Mapping | tuple) else 1
    if there - len(missing) < min(expect.required, there):
        trap = next((each.why for each in expect.traps if not _missing(expect, each.values, shown)), "")
        yield ("trap", trap) if trap else ("values", f"it does not hold {', '.join(missing)}")
    if expect.complete and (more := _others(case, expect, shown)):
        yield "names", f"it names {', '.join(more[:5])}, too"


def _missing(expect: Expect, values: Numbers, shown: str) -> list[str]:
    """The missing values, in words."""
    if isinstance(values, Mapping):
        if expect.groups:
            return _unpaired(expect, values, shown)
        values = tuple(values.values())
    if not isinstance(values, tuple):
        values = (values,)
    found = list(numbers(shown))
    return [
        str(each)
        for each in values
        if not (
            _named(expect, each, shown)
            if isinstance(each, str)
            else any(is_number(each, *one, exact=expect.exact, within=expect.within) for one in found)
        )
    ]


def _named(expect: Expect, name: str, shown: str) -> bool:
    text = folded(shown)[0]
    # The number before the name of a district may be omitted.
    spellings = (name, name.lstrip("0123456789-"), *expect.names_ok.get(name, ()))
    return any(True for each in spellings for _ in places(text, each))


def _unpaired(expect: Expect, values: Mapping[Any, Any], shown: str) -> list[str]:
    """The groups without their value next to the name: after it and before the next one, or the other way round."""
    names = {str(key): (str(key), *expect.names_ok.get(key, ())) for key in values}
    if expect.figure is not None:
        names |= {str(key): (*names[str(key)], *expect.figure.x_ok.get(key, ())) for key in values}
    plain = all(len(name) == 1 for name in names)
    lines = [shown] if len(names) == 1 else shown.splitlines()
    lines = [line if plain else folded(line)[0] for line in lines]
    return [
        name
        for name, value in zip(names, values.values(), strict=True)
        if not any(_stands(expect, line, names, name, value, plain) for line in lines)
    ]


def _stands(expect: Expect, line: str, names: Mapping[str, Sequence[str]], name: str, value: Any, plain: bool) -> bool:
    spots = sorted((*span, own) for own, all_ in names.items() for each in all_ for span in _spots(line, each, plain))
    found = list(numbers(line))
    for place, (start, end, own) in enumerate(spots):
        if own != name:
            continue
        since = max((e for s, e, o in spots[:place] if o != name), default=0)
        until = min((s for s, e, o in spots[place + 1 :] if o != name), default=len(line))
        for numeral, meant in found:
            inside = since <= numeral.start < start or end <= numeral.start < until
            if inside and is_number(float(value), numeral, meant, exact=expect.exact, within=expect.within):
                return True
    return False


def _spots(line: str, name: str, plain: bool) -> list[tuple[int, int]]:
    """The places of a name in a line; a number matches only at its beginning, a single letter only with its case."""
    if name.isdigit():
        return [match.span(1) for match in re.finditer(rf"^\W*({name}(?:\.0)?)(?![\w.,])", line)]
    if plain:
        return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", line)]
    return list(places(line, name))


def _others(case: DataQuestion, expect: Expect, shown: str) -> list[str]:
    """Other names in the answer from the columns of the wanted ones."""
    values = expect.values
    wanted = {name for name in (values if isinstance(values, tuple | Mapping) else ()) if isinstance(name, str)}
    text, found = folded(shown)[0], set[str]()
    for file in case.files:
        for column in table(file).select_dtypes(exclude="number"):
            names = {str(each) for each in table(file)[column].dropna().unique()}
            if wanted <= names:
                found |= {each for each in names - wanted if any(True for _ in places(text, each))}
    return sorted(found)


def _unsupported_numbers(answer: Mapping[str, Any]) -> list[str]:
    """The numbers of the text that follow from no result, except levels of tests and small whole numbers."""
    return [
        each
        for each in answer["loose"]
        if even(each).strip("+-") not in _USUAL and not (each.isdigit() and int(each) <= _SMALL)
    ]
