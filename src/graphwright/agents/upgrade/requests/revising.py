"""Conditions and decision points as they are to be: what a message adds, takes out, exchanges and weighs.

A list that is there is replaced only by one that is said whole: "also at X" adds, "without X" takes out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.agents.upgrade.words.quantities import Weights
from graphwright.runtime.reading.words import Folded, fold, fold_keeping_places

Deed = Literal["add", "remove", "in_place", "plain"]
"""What is said of a condition or a point: to be there, too; not to be there; in the place of those taken out; or
nothing but that it is named."""

_ADD_BEFORE = (
    r"add|adding|append|plus|as well as|together with|along with|another|additional|extra|ergan[sz]e|fuge|hinzufugen"
    r"|also|additionally|auch|ausserdem|zusatzlich|noch|include|(?:and|but) use(?=[^.;!?]{1,40}\binstead\b)"
)
_ADD_BEHIND = r"as well|too|on top|dazu|hinzu|hinzufugen|also|additionally|auch|zusatzlich"
_REMOVE_BEFORE = (
    r"remove|removing|delete|deleting|drop|dropping|without|take (?:out|off|away)|leave out|leaving out|skip|get rid of"
    r"|lose|ditch|minus|omit|scrap|no longer|not any more|except(?: for)?|instead of|rather than|in place of"
    r"|(?:don'?t|do not) (?:want|need|use|have)|losche|loesche|entferne|streiche|streich|ohne|keine?n?|statt|anstatt"
    r"|anstelle von|not|no|nicht"
)
_REMOVE_BEHIND = (
    r"out|off|away|weg|raus|heraus|loschen|entfernen|streichen|weglassen|can go|should go|must go"
    r"|is(?:n'?t| not) needed|muss weg|soll weg|entfallt|be (?:removed|dropped|deleted)"
)
_INSTEAD = frozenset({"instead of", "rather than", "in place of", "statt", "anstatt", "anstelle von", "not", "nicht"})
_ALSO = frozenset({"also", "additionally", "auch", "ausserdem", "zusatzlich", "noch"})
_BESIDE = re.compile(r"(?:[\s_,&\"'“‘]|(?:the|a|conditions?|points?|decision|and|und|die|der|das|den)\b)*")
_NO = frozenset({"no", "kein", "keine", "keinen"})
_BEFORE = re.compile(rf"\b(?:(?P<add>{_ADD_BEFORE})|(?P<remove>{_REMOVE_BEFORE}))\b")
_BEHIND = re.compile(rf"\b(?:(?P<add>{_ADD_BEHIND})|(?P<remove>{_REMOVE_BEHIND}))\b")
_SWAPS = tuple(
    (re.compile(rf"\b(?:{verbs})\b"), re.compile(rf"\b(?:{links})\b"))
    for verbs, links in (
        ("replace|ersetze|ersetzen", "by|with|durch|mit"),
        ("swap|exchange|tausche|austauschen", "for|with|by|gegen|mit"),
        ("change|switch|move|andere|andern", "to|into|zu|auf|in"),
    )
)
_ONLY = re.compile(r"\b(?:only|just|nur|nothing but|lediglich)\b")
_ALL_OF_THEM = re.compile(
    r"\b(?:conditions|bedingungen)\b[^.;!?\n]{0,40}?(?:\b(?:to|are|be|should be|auf|sind|sollen)\b|[:=])"
)
# Words that speak of what follows at once: "not at X", "no variant", "instead of A and B".
_NEAR = re.compile(
    r"(?:[\s_,/&\"'“‘]|(?:at|on|the|a|any|conditions?|points?|decision|and|und|or|oder|bei|an|die|der|das|den|dem)\b)*"
)
_BREAKS = re.compile(r"[.!?](?=\s|$)|;|\b(?:but|aber|sondern)\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """A condition or a point that a message names, by a key of its own, and where."""

    key: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Revised:
    """The keys as they are to be, what took the place of what, and whether the list was said whole."""

    keys: list[Any]
    for_old: Mapping[Any, Any]
    whole: bool = False


def revised(text: str, mentions: Sequence[Mention], there: Sequence[Any], *, apart: Sequence[Mention]) -> Revised:
    """A list of keys after what a message says of it. `apart` are mentions of other things: words that speak of those
    say nothing here."""
    said = _Said(text, mentions, apart)
    deeds = said.deeds()
    if _ONLY.search(said.folded.text) and all(deed == "plain" for _, deed in deeds):
        return Revised(_once(key for key, _ in deeds), {}, whole=True)
    if not there or all(deed == "plain" for _, deed in deeds):
        return Revised(_once(key for key, deed in deeds if deed != "remove"), {}, whole=True)
    removed = [key for key, deed in deeds if deed == "remove"]
    instead = any(deed == "in_place" for _, deed in deeds)
    new = _once(key for key, deed in deeds if deed != "remove" and key not in there)
    if instead and len(new) == len(removed) and all(key in there for key in removed):
        of = dict(zip(removed, new, strict=True))
        return Revised(_once(of.get(key, key) for key in there), {new: old for old, new in of.items()})
    kept = [key for key in there if key not in removed]
    return Revised([*kept, *(key for key in new if key not in removed)], {})


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that says something of a mention beside it, and where."""

    said: str
    deed: Deed
    start: int
    end: int


class _Said:
    """What the words around a mention say of it."""

    def __init__(self, text: str, mentions: Sequence[Mention], apart: Sequence[Mention]) -> None:
        self.mentions = sorted(mentions, key=lambda each: each.start)
        self.named = sorted((*mentions, *apart), key=lambda each: each.start)
        self.starts = [each.start for each in self.named]
        self.folded: Folded = fold_keeping_places(_blanked(text, self.named))
        self.before = self._words(_BEFORE)
        self.behind = self._words(_BEHIND)
        self.breaks = [self._place(match) for match in _BREAKS.finditer(self.folded.text)]
        self.swaps = self._swapping()

    def _place(self, match: re.Match[str]) -> tuple[int, int]:
        return self.folded.places[match.start()], self.folded.end(match.end())

    def _words(self, pattern: re.Pattern[str]) -> list[_Word]:
        found = pattern.finditer(self.folded.text)
        return [_Word(match[0], "add" if match["add"] else "remove", *self._place(match)) for match in found]

    def _text(self, start: int, end: int | None = None) -> str:
        low = bisect_left(self.folded.places, start)
        return self.folded.text[low : len(self.folded.text) if end is None else bisect_left(self.folded.places, end)]

    def _swapping(self) -> list[tuple[int, int]]:
        """Where each "replace A by B" begins, and where its "by B" does."""
        found = []
        for verbs, links in _SWAPS:
            for match in verbs.finditer(self.folded.text):
                swap = self._place(match)[1]
                first = next((each for each in self.mentions if each.start >= swap), None)
                if first is None:
                    continue
                second = next((each for each in self.mentions if each.start >= first.end), None)
                between = self._text(first.end, second.start) if second is not None else ""
                link = links.search(between)
                if link is not None and re.fullmatch(r"[^\d,;.!?]*", between) and self._is_near(between[link.end() :]):
                    found.append((swap, first.end))
        return found

    def deeds(self) -> list[tuple[Any, Deed]]:
        """What is said of each mention."""
        alone = [(each, *self._of(each)) for each in self.mentions]
        instead = any(word in _INSTEAD for _, _, word in alone)
        # "B instead of A", "not A but B".
        return [(each.key, "in_place" if deed == "plain" and instead else deed) for each, deed, _ in alone]

    def _of(self, mention: Mention) -> tuple[Deed, str]:
        """What is said of a mention: by the words behind it, else by the last ones before it, and by which."""
        for swap, link in self.swaps:
            if swap <= mention.start:
                return ("remove" if mention.start < link else "in_place"), ""
        behind = self._by_behind(mention)
        return (behind, "") if behind is not None else self._by_before(mention)

    def _by_behind(self, mention: Mention) -> Deed | None:
        place = bisect_right(self.starts, mention.start)
        following = self.starts[place] if place < len(self.starts) else len(self.folded.places)
        end = min((start for start, _ in self.breaks if start >= mention.end), default=len(self.folded.places))
        first = bisect_left(self.behind, mention.end, key=lambda word: word.start)
        if first == len(self.behind):
            return None
        word = self.behind[first]
        if word.end > min(following, end) or not self._close(mention.end, word.start):
            return None
        # "A as well as B", "A, also B": the word goes with what follows.
        forward = following < end and not re.match(r"\s*(?:[,;.]|(?:and|und)\b)", self._text(word.end))
        if forward:
            return None
        # "Remove A and B as well".
        before = self._by_before(mention)[0] if word.said in _ALSO | {"too", "as well"} else "plain"
        return before if before == "remove" else word.deed

    def _close(self, start: int, end: int) -> bool:
        """Whether a word still belongs to what stands before it: at most some words behind, without a comma."""
        between = self._text(start, end)
        return len(between.split()) <= 4 and not re.search(r"[,:]", between)

    def _is_near(self, between: str) -> bool:
        """Whether nothing stands between a word and what it speaks of; "no, at X" takes nothing out."""
        return not between.lstrip().startswith(",") and _NEAR.fullmatch(between) is not None

    def _by_before(self, mention: Mention) -> tuple[Deed, str]:
        since = max((end for _, end in self.breaks if end <= mention.start), default=0)
        last = bisect_left(self.before, mention.start, key=lambda word: word.start)
        for word in reversed(self.before[:last]):
            if word.start < since:
                break
            far = word.said in _INSTEAD | _NO and not self._is_near(self._text(word.end, mention.start))
            if word.end > mention.start or far or self._goes_back(word):
                continue
            if word.said in _ALSO and _BESIDE.fullmatch(self._text(word.end, mention.start)):
                # "Remove A and also B": the verb before says what.
                verb = next((each for each in reversed(self.before[:last]) if since <= each.start < word.start), word)
                return ("remove" if verb.deed == "remove" and verb.said not in _INSTEAD else word.deed), word.said
            return word.deed, word.said
        return "plain", ""

    def _goes_back(self, word: _Word) -> bool:
        """Whether a word says something of what stands before it: "A too, and B"."""
        place = bisect_left(self.mentions, word.start, key=lambda each: each.start) - 1
        if place < 0 or _BEHIND.match(self._text(word.start, word.end)) is None:
            return False
        return self._by_behind(self.mentions[place]) is not None and self._close(self.mentions[place].end, word.start)


def _blanked(text: str, mentions: Sequence[Mention]) -> str:
    """The text without what is named in it, whose words say nothing."""
    characters = list(text)
    for each in mentions:
        characters[each.start : each.end] = "_" * (each.end - each.start)
    return "".join(characters)


def _once(keys: Iterator[Any]) -> list[Any]:
    return list(dict.fromkeys(keys))


def revised_points(
    text: str, mentions: Sequence[Mention], there: Sequence[Mapping[str, Any]], *, apart: Sequence[Mention]
) -> list[dict[str, Any]]:
    """Decision points after what a message says of them; the keys of mentions are (site, target)."""
    old = {(each["site"], each["target"]): each for each in there}
    found = revised(text, mentions, list(old), apart=apart)
    return [dict(old.get(key, {})) | {"site": key[0], "target": key[1]} for key in found.keys]


def revised_conditions(
    text: str,
    mentions: Sequence[Mention],
    weights: Weights,
    there: Sequence[tuple[str, float | None]],
    *,
    apart: Sequence[Mention],
    changing: bool,
) -> list[dict[str, Any]]:
    """All conditions after what a message says of them; none where it says nothing new.

    `there` are codes with their weights before. `changing`: they are those of an experiment, where a few codes named
    without a word on them replace nothing.
    """
    before = dict(there)
    codes = list(before)
    if mentions:
        found = revised(text, mentions, codes, apart=apart)
        if found.whole and codes and not _says_all(text, found.keys, codes, weights, changing=changing):
            found = Revised(codes, {})
        of, codes = found.for_old, found.keys
        before = {code: before.get(of.get(code, code)) for code in codes}
    if not codes or (codes == [code for code, _ in there] and not weights):
        return []
    return _as_conditions(_weighed(codes, weights, before, {code for code, _ in there}))


def _says_all(text: str, said: Sequence[str], codes: Sequence[str], weights: Weights, *, changing: bool) -> bool:
    """Whether the codes that a message names are to be all, where no word says that they are added or taken out."""
    folded = fold(text)
    if _ONLY.search(folded):
        return True
    if len(said) < 2 or set(said) == set(codes):
        return False
    if weights.by_code and set(said) <= set(codes):
        return False
    return not changing or bool(weights and not set(said) <= set(codes)) or bool(_ALL_OF_THEM.search(folded))


def _weighed(
    codes: Sequence[str], weights: Weights, before: Mapping[str, float | None], old: set[str]
) -> list[tuple[str, float | None]]:
    if weights.shifts:
        weights = Weights(
            {code: (before.get(code) or 0.0) + more for code, more in weights.shifts.items() if code in codes}
        )
    if weights.by_code and len(codes) > 2:
        return _sharing(codes, weights, before)
    if weights:
        return weigh(codes, weights)
    kept = {weight for code, weight in before.items() if code in old or weight is not None}
    if len(codes) == 1 or len(kept) < 2 or _nearly_equal(kept):
        # What was split evenly stays so.
        return [(code, None) for code in codes]
    left = [before.get(code) or 0.0 for code in codes]
    if all(left) and len(codes) < len(old):
        # Those that stay share as they shared before.
        return [(code, round(100 * weight / sum(left), 2)) for code, weight in zip(codes, left, strict=True)]
    return [(code, before.get(code)) for code in codes]


def _nearly_equal(weights: set[float | None]) -> bool:
    stated = [weight for weight in weights if weight is not None]
    return not stated or max(stated) - min(stated) < 0.05


def _sharing(
    codes: Sequence[str], weights: Weights, before: Mapping[str, float | None]
) -> list[tuple[str, float | None]]:
    """Of three or more the others share what is left as they shared before."""
    if weights.loose:
        return weigh(codes, weights)
    left = 100 - sum(weights.by_code.values())
    others = {code: before.get(code) or 0.0 for code in codes if code not in weights.by_code}
    total = sum(others.values())
    shared: dict[str, float] = {}
    if total > 0 and left > 0:
        shared = {code: round(left * weight / total, 2) for code, weight in others.items() if weight}
    return [(code, weights.by_code.get(code, shared.get(code))) for code in codes]


def weigh(codes: Sequence[str], weights: Weights) -> list[tuple[str, float | None]]:
    """Codes with the weights that were stated for them, None where none was; a weight too many has no code.

    Nothing of what was said is left out: whether it fits is for the check to say.
    """
    if weights.by_code:
        found = [(code, weights.by_code.get(code)) for code in codes]
        open_ = [code for code, weight in found if weight is None]
        if len(open_) == len(weights.loose):
            rest = dict(zip(open_, weights.loose, strict=True))
            return [(code, rest.get(code, weight)) for code, weight in found]
        return [*found, *(("", weight) for weight in weights.loose)]
    stated: list[float | None] = [*weights.in_order]
    stated += [None] * (len(codes) - len(stated))
    return [*zip(codes, stated, strict=False), *(("", weight) for weight in stated[len(codes) :])]


def _as_conditions(weighed: Sequence[tuple[str, float | None]]) -> list[dict[str, Any]]:
    return [{"code": code} if weight is None else {"code": code, "weight": weight} for code, weight in weighed]
