"""Texts that say the contrary of a result: of what its p-value tells, of a yes or no, of the group that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphwright.agents.data_scientist.grounding import sentences
from graphwright.agents.data_scientist.results import LEVEL, p_value_of, verdict_of
from graphwright.agents.data_scientist.winners import MORE, SIDES, Winner, plain


@dataclass(frozen=True, slots=True)
class Claim:
    """What a clause says of a difference: that it is one (`says`), or none, at a level of significance."""

    says: bool
    level: float = LEVEL


def contrary(text: str, question: str, result: str, winner: Winner | None) -> str:
    """What a text says contrary to the result, as one sentence for its author; empty where it does not.

    `result` is the result as text, `winner` the group that it has for what is asked.
    """
    return _against_p_value(text, question, result) or _against_truth(text, question, result) or _against(text, winner)


# significance

_CLAUSES = re.compile(
    r"[;,:—–]\s+|\s+(?:but|although|though|while|whereas|because|since|therefore|hence|thus|meaning|which|so\s+that)\s+"
    r"|\s+(?:and|so)\s+(?=(?:so|the|it|this|that|they|we|there|thus|hence|therefore|do|does|did|is|are)\b)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:no(?!\s+(?:doubt|less|longer\s+than))|not(?!\s+(?:only|just|merely))|never|neither|nor|without|lack\w*|fail\w*"
    r"|cannot|hardly|barely|insufficient|absence|short\s+of|little)\b|n['’]t\b|\bfar\s+from\b",
    re.IGNORECASE,
)
_SIGNIFICANT = re.compile(
    r"\b(?P<none>in|non-?\s?)?significan(?:t|tly|ce)\b(?!\s+(?:level|threshold|test|digit|figure|at\s+all\s+levels)s?)",
    re.IGNORECASE,
)
_LEVEL_NOUN = re.compile(r"\b(?:level|threshold|test)s?\s+(?:of|for)\s+$", re.IGNORECASE)
_NOT_AFTER = re.compile(
    r"^\W*(?:\w+\s+){0,3}?(?:was|is|were|are|be|been)\s+(?:not|never)\s+(?:\w+\s+)?(?:reach|found|show|detect|achiev|giv"
    r"|attain|met)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|would|could|might|must|should|needs?|needed|ha[sd]\s+to|have\s+to|required|in\s+order|usual\w*|when"
    r"|unless|to\s+be\s+(?:\w+\s+)?significant|(?:a|any|the\s+usual)\s+p-?\s?values?|p-?\s?values\s+(?:below|under|less))\b",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"\b(?:marginal\w*|borderline|almost|nearly|close\s+to|approach\w*|weakly)\W", re.IGNORECASE)
_NEARLY_BELOW = 0.15
_AT_LEVEL = re.compile(
    r"(?P<one>\d+(?:\.\d+)?|\.\d+)\s*(?P<percent>%|percent\b|per\s+cent\b)?[\s-]*(?:significance\s+|confidence\s+)?"
    r"(?:level|confidence)|\b(?:level\s+of|alpha\s*(?:=|of)|α\s*=?)\s*(?:significance\s+of\s+)?"
    r"(?P<other>\d+(?:\.\d+)?|\.\d+)\s*(?P<share>%|percent\b|per\s+cent\b)?",
    re.IGNORECASE,
)
_NO_DIFFERENCE = re.compile(
    r"\b(?:no|not\s+(?:\w+\s+)?any|little)\s+(?:\w+\s+){0,3}?(?:differences?|effects?|associations?|relationship|relation"
    r"|correlation|link|connection|dependence|influence|impact|evidence)\b"
    r"|\b(?:do|does|did|ca)(?:\s+not|n['’]t)\s+(?:\w+\s+){0,2}?(?:differ|depend|affect|influence|vary)\b"
    r"|\b(?:is|are|was|were)(?:\s+not|n['’]t)\s+(?:\w+\s+){0,2}?(?:related|associated|correlated|different|linked)"
    r"|\b(?:cannot|can\s*not|do(?:es)?\s+not|did\s+not|fail(?:s|ed)?\s+to)\s+reject\b"
    r"|\b(?<!un)(?<!not )(?:likely|probably|may|could|might|can|easily|just|merely)\s+(?:\w+\s+){0,4}?"
    r"(?:chance|random|coincidence)\b",
    re.IGNORECASE,
)
_A_DIFFERENCE = re.compile(
    r"\bunlikely\s+(?:\w+\s+){0,5}?(?:chance|random|coincidence)\b"
    r"|\bnot\s+(?:\w+\s+){0,4}?(?:chance|random|coincidence)\b"
    r"|(?<!not )(?<!cannot )(?<!to )\breject(?:s|ed)?\s+(?:\w+\s+){0,2}?null\b"
    r"|\bnull\s+hypothesis\s+(?:is|can\s+be|was)\s+reject"
    r"|\b(?:clear|strong|convincing|real)\s+(?:\w+\s+)?(?:evidence|differences?|association|relationship|effect)\b"
    r"|\b(?:clearly|really)\s+differ|\bdiffer\s+(?:clearly|really|strongly)\b",
    re.IGNORECASE,
)
_HYPOTHESIS = re.compile(r"(?P<null>\bnull\s+hypothesis)\s+(?:that|of)\s+(?:\w+\s+){0,3}?no\s+\w+", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(
    r"\bsignifican|\bdiffer|\brelationship|\bassociat|\bcorrelat|\beffect|\baffect|\binfluence|\bdepend(?:s|ent)?\b|\brelated\b",
    re.IGNORECASE,
)
_ASKS_OTHERWISE = re.compile(
    r"\bnormal|\bequal|\bthe\s+same\b|\bindependent|\bchance\b|\brandom|\bstationar|\bhomogen|\bvariances?\b|\bno\b|\bnot\b|n['’]t\b"
    r"|\bsimilar|\bcoinciden|\bfit\b|\bdistribut",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^\W*(?:(?P<yes>yes|ja|oui)|(?P<no>no|nein|non))\b\W", re.IGNORECASE)


def _against_p_value(text: str, question: str, result: str) -> str:
    verdict, p = verdict_of(result), p_value_of(result)
    if not verdict or p is None:
        return ""
    asked_otherwise = bool(_ASKS_OTHERWISE.search(question))
    told = [claim for each in sentences(text) for claim in _told(each, p)]
    matching = [claim.says == (p < claim.level) for claim in told]
    if matching and not matching[0]:
        return verdict
    answer = _YES_NO.match(text)
    if answer and not asked_otherwise and _ASKS_FOR_ONE.search(question):
        is_right = bool(answer["yes"]) == (p < LEVEL)
        if not is_right and (not any(matching) or "significan" in question.casefold()):
            return verdict
    if matching or asked_otherwise:
        return ""
    weak = [says for each in sentences(text) for says in _implied(each)]
    return verdict if weak and (p < LEVEL) not in weak else ""


def _told(sentence: str, p: float) -> Iterator[Claim]:
    """What a sentence says of significance in this word."""
    for clause in _CLAUSES.split(re.sub(_YES_NO, "", sentence)):
        if sentence.rstrip().endswith("?") or _SUPPOSED.search(clause):
            continue
        for match in _SIGNIFICANT.finditer(clause):
            before = clause[: match.start()]
            if _LEVEL_NOUN.search(before) or (_NEARLY.search(before[-30:]) and p < _NEARLY_BELOW):
                continue
            negations = len(_NOT.findall(before)) + bool(match["none"]) + bool(_NOT_AFTER.search(clause[match.end() :]))
            if negations < 2:
                yield Claim(not negations, _level(clause[match.start() :]))


def _level(clause: str) -> float:
    found = _AT_LEVEL.search(clause)
    if found is None:
        return LEVEL
    level = float(found["one"] or found["other"])
    if found["percent"] or found["share"] or level > 1:
        level /= 100
    level = 1 - level if level > 0.5 else level
    return level if 0 < level <= 0.5 else LEVEL


def _implied(sentence: str) -> Iterator[bool]:
    """What a sentence says of a difference in other words."""
    if sentence.rstrip().endswith("?"):
        return
    # What the hypothesis says is not what the text says.
    for clause in _CLAUSES.split(_HYPOTHESIS.sub(r"\g<null>", sentence)):
        if re.search(r"\b(?:if|whether|would)\b", clause, re.IGNORECASE):
            continue
        if _NO_DIFFERENCE.search(clause):
            yield bool(re.search(r"\bcannot\s+be\s+(?:\w+\s+)*chance\b", clause, re.IGNORECASE))
        elif _A_DIFFERENCE.search(clause):
            yield True


# yes and no

_IS_TRUE = {"true": True, "yes": True, "false": False, "no": False}
_ASKS_WHETHER = re.compile(r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b", re.IGNORECASE)


def _against_truth(text: str, question: str, result: str) -> str:
    """A yes where the result is false, or a no where it is true."""
    truth, answer = _IS_TRUE.get(result.strip().casefold()), _YES_NO.match(text)
    if truth is None or answer is None or not _ASKS_WHETHER.match(question) or _ASKS_OTHERWISE.search(question):
        return ""
    return f"The result is {result.strip()}." if bool(answer["yes"]) != truth else ""


# groups

_ASIDE = re.compile(
    r"\b(?:followed\s+by|ahead\s+of|before|than|over|against|compared\s+(?:to|with)|versus|vs\.?|unlike|not|beats?|except|after"
    r"|instead\s+of|rather\s+than|among|between|behind|beyond|but|second\s+is|above|outsells?|exceeds?|next\s+to)\s+(?:the\s+|that\s+of\s+)?"
    r"(?:\w+\s+)?$",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[;,:—–()]\s*|\s+(?:and|but|while|whereas|although|though|which|who)\s+", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:is|are|was|were|be|been|comes?|came|occurs?|occurred|belongs?|goes|went|falls?|lies)\b", re.IGNORECASE
)
_LEADS = re.compile(r"\b(?:leads|tops|is\s+ahead|comes\s+first)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^\W*(?:has|had|have|is|was|with|sells?|sold|shows?|leads?|reach\w*|stands?|the|at)\b", re.IGNORECASE
)


def _against(text: str, winner: Winner | None) -> str:
    """Another group in the place of the one that the result has."""
    if winner is None:
        return ""
    told = f"The result says {winner['name']}."
    groups = _groups(text, winner)
    claimed = [name for each in sentences(text) for name in _claimed(each, winner)]
    if claimed:
        return "" if winner["name"] in claimed else told
    if winner["name"] in groups:
        return ""
    if groups:
        return told
    # Nothing tells the other groups: what names no part of this one speaks of another.
    words = set(plain(winner["name"]).split())
    is_proper = len(words) <= 4 and all(word[:1].isupper() for word in winner["name"].split())
    said = plain(text)
    return told if not winner["others"] and is_proper and not any(word in said for word in words) else ""


def _groups(text: str, winner: Winner) -> list[str]:
    return [name for name, _, _ in _named(text, winner)]


def _named(text: str, winner: Winner) -> list[tuple[str, int, int]]:
    """The groups that a text names, with their places; the longer name where one is in another."""
    found: list[tuple[str, int, int]] = []
    for name in sorted([winner["name"], *winner["others"]], key=len, reverse=True):
        words = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", name)))
        if not words:
            continue
        # A short name is a word of the language in any other case.
        pattern = re.compile(rf"(?<![\w]){words}(?:s|es)?(?![\w])", 0 if len(name) < 4 else re.IGNORECASE)
        for match in pattern.finditer(text):
            if len(name) == 1 and not match.start():
                continue
            if not any(start < match.end() and match.start() < end for _, start, end in found):
                found.append((name, match.start(), match.end()))
    return sorted(found, key=lambda each: each[1])


def _claimed(sentence: str, winner: Winner) -> Iterator[str]:
    """The groups of which a sentence says that they have what is asked for."""
    side = winner["side"]
    clauses = [clause for clause in _PARTS.split(sentence) if clause]
    subject = ""
    for clause in clauses:
        named = [each for each in _named(clause, winner) if not _ASIDE.search(clause, 0, each[1])]
        word = SIDES[side].search(clause) or (_LEADS.search(clause) if side == 0 else None)
        if word is not None:
            before = [each for each in named if each[1] < word.start()]
            after = [each for each in named if each[1] >= word.end()]
            if before:
                name, _, end = before[-1]
                # "North's highest is 10" is the highest within the group.
                if not re.match(r"['’]s?\s+(?:\w+\s+)?$", clause[end : word.start()]):
                    yield name
            elif after and _IS.search(clause, word.end(), after[0][1]):
                yield after[0][0]
            elif not after and subject and _GOES_ON.match(clause):
                yield subject
        elif side < 2 and (word := MORE[side].search(clause)) is not None and " than " in clause[word.end() :]:
            than = clause.index(" than ", word.end())
            if winner["name"] in [name for name, start, _ in _named(clause, winner) if start > than]:
                yield from [name for name, start, _ in named if start < than][-1:]
        subject = named[-1][0] if named else subject
