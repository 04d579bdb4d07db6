"""The text of an answer: streamed from the model, held against the sources, and mended by code where it must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant import citing, extracting, telling
from graphwright.agents.assistant.grounding import Numbers, unfounded, without
from graphwright.agents.assistant.language import detected, name_of
from graphwright.agents.assistant.passages import weights
from graphwright.agents.assistant.words import content_words, shared, shares, stems, words
from graphwright.models import CutReply, ModelFailure, ModelUnavailable, astream_text
from graphwright.tools.sources import Source

if TYPE_CHECKING:
    from graphwright.runtime.action_context import ActionContext

LONGEST_ANSWER = 8_000
"""Characters."""

FEWEST_TO_TELL = 6
"""Words from which on the language of a text can be told."""

FEWEST_ALONE = 3
"""Words of an answer that has nothing of the sources that were found."""

_MOST_REPEATED = 20
"""Runs of six words that an answer may have in common with the instructions."""

_HEAD = re.compile(
    r"^\s*(?:\*\*)?(?:answer|antwort|final answer|assistant|response)(?:\*\*)?\s*:\s*(?:\*\*)?", re.IGNORECASE
)
_OWN_LIST = re.compile(
    r"\n[ \t]*(?:#{1,6}[ \t]?|\*\*)?(?:sources?|references?|quellen?|literatur|citations?|links?)(?:\*\*)?[ \t]?:?"
    r"(?:\*\*)?[ \t]*(?:\n+[ \t]*(?:[-*•]|\d{1,2}[.)]|\[\d{1,2}\])[^\n]*)*\s*\Z",
    re.IGNORECASE,
)
_ENDED = re.compile(r"(?<![\d\s])[.!?][\])\"”]?(?=\s|$)|[.!?](?=\s)|\n")
_PAGE = re.compile(r"\b(?:p{1,2}\.|pages?|s\.|seiten?)\s?(\d{1,5})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DOLLARS = re.compile(r"(?<![$\w])\$\s?(\d[\d,.]*\d|\d)(?:\s*(?:USD|dollars?))?(?![\d$]|[^\n$]{0,80}\$)")


@dataclass(slots=True)
class Answer:
    """An answer before it is put together: its text with marks and links as they were, and what is to be noted.

    Marks name the first `marked` of the sources. `about` are the words of the question.
    """

    text: str
    sources: Sequence[Source]
    language: str
    notes: list[str] = field(default_factory=list)
    made_by_code: bool = False
    marked: int = 0
    about: Sequence[str] = ()

    def finished(self) -> tuple[str, int]:
        """The answer as the user gets it, and how many links were taken out of it."""
        found = citing.cited(_with_money(self.text), self.sources, marked=self.marked)
        used = found.used
        if not self.made_by_code:
            best = supporting(found.text, self.sources, self.about)
            # What holds the answer stands first, whichever mark came first.
            used = tuple(place for place in best if place in used or not used) + used
        used = tuple(dict.fromkeys((*used, *_pages(found.text, self.sources))))
        listed = citing.source_list(self.sources, used, telling.say(self.language, "sources"))
        notes = [*self.notes, telling.removed(self.language, found.removed)]
        clean = [citing.cited(note, self.sources, marked=0).text for note in notes]
        return telling.put_together(found.text, listed, clean), found.removed


def _with_money(text: str) -> str:
    """Amounts as `111,431 USD`: a single dollar sign would begin mathematics."""
    return _DOLLARS.sub(r"\1 USD", text)


def _pages(text: str, sources: Sequence[Source]) -> list[int]:
    """The places of the pages of files that a text names."""
    named = {str(int(number)) for number in _PAGE.findall(text)}
    of_files = [(place, source) for place, source in enumerate(sources) if source.kind == "file"]
    low = text.casefold()
    # The seventh page of the file that is named, not of every file.
    files = {source.title for _, source in of_files if source.title.casefold() in low}
    return [
        place
        for place, source in of_files
        if source.metadata.get("page") in named and (not files or source.title in files)
    ]


def supporting(text: str, sources: Sequence[Source], about: Sequence[str] = ()) -> list[int]:
    """The places of the sources that hold a text, the best first: those with most of its numbers and words.

    Where a text has few words of its own, those `about` which it was asked tell the sources apart.
    """
    plain = citing.without_marks(text)
    said = content_words(plain)
    if not said:
        return []
    numbers = list(dict.fromkeys(_NUMBER.findall(plain)))
    held = [f"{source.title} {' '.join(source.metadata.values())} {source.text}" for source in sources]
    there = [stems(each) for each in held]
    worth = weights([*said, *about], there)
    scores = []
    for place, (whole, own) in enumerate(zip(held, there, strict=True)):
        found = set(_NUMBER.findall(whole))
        score = sum(worth[word] for word in said if shares(word, own)) + 2.0 * sum(each in found for each in numbers)
        score += 0.5 * sum(worth[word] for word in about if word not in said and shares(word, own)) if score else 0.0
        scores.append((score, -place))
    best = max((score for score, _ in scores), default=0.0)
    order = sorted(((score, place) for score, place in scores if score and score >= 0.7 * best), reverse=True)
    return [-place for _, place in order][:3]


async def written(
    ctx: ActionContext,
    prompt: str,
    inputs: dict[str, Any],
    *,
    sources: Sequence[Source],
    marked: int,
    known: Numbers,
    language: str,
    languages: Sequence[str],
    otherwise: Callable[[], str],
    images: Sequence[dict[str, Any]] = (),
) -> Answer:
    """The model's answer to a prompt, asked for once more where it is of no use, and then made `otherwise`, by code.

    Of the sources the prompt numbers the first `marked`. Sentences with numbers that stand in no source are left out.
    Raises ModelUnavailable.
    """
    notes: list[str] = []
    wrong = ""
    for again in (False, True):
        messages = ctx.prompt(prompt, **inputs, wrong=wrong, language=name_of(language))
        if images:
            messages[-1].content = [{"type": "text", "text": messages[-1].text}, *images]
        try:
            text, cut = await _streamed(ctx, messages, citing.Steady(sources, marked=marked), afresh=again)
            text = _cleaned(text)
        except ModelUnavailable:
            raise
        except ModelFailure as failure:
            why = failure.message.rstrip(".")
            notes.append(telling.say(language, "model", why=why[:1].lower() + why[1:]))
            break
        wrong = _useless(text, str(messages[0].text), language, languages)
        if not wrong and marked and len(words(text)) < FEWEST_ALONE and not _rests_on(text, sources, marked):
            wrong = "it said nothing of what the sources say"
        if wrong:
            continue
        if cut:
            notes = [telling.say(language, "cut")]
        flagged = unfounded(citing.without_marks(text), known, most=max(1, len(sources)))
        if not flagged:
            return Answer(text, sources, language, notes, marked=marked)
        kept = without(text, flagged)
        if len(words(citing.without_marks(kept))) >= max(4, len(words(text)) // 3):
            return Answer(kept, sources, language, [*notes, telling.say(language, "numbers")], marked=marked)
        notes = []
        wrong = f"these figures stand in no source: {', '.join(flagged[:8])}"
    ctx.stream("", afresh=True)
    return Answer(otherwise(), sources, language, notes, made_by_code=True, marked=len(sources))


def _rests_on(text: str, sources: Sequence[Source], marked: int) -> bool:
    return bool(citing.cited(text, sources, marked=marked).used) or any(
        shared([word], f"{source.title} {' '.join(source.metadata.values())} {source.text}")
        for word in words(text)
        for source in sources
    )


async def _streamed(
    ctx: ActionContext, messages: Sequence[Any], shown: citing.Steady, *, afresh: bool
) -> tuple[str, bool]:
    """The text as the model writes it, and whether its end is missing. What is shown on the way holds no bad link."""
    text, begun, cut = "", not afresh, False

    def show(ready: str) -> None:
        nonlocal begun
        if ready:
            ctx.stream(ready, afresh=not begun)
            begun = True

    stream = astream_text(ctx.model, messages)
    try:
        async for piece in stream:
            text += piece
            if len(text) > LONGEST_ANSWER:
                cut = True
                break
            show(shown.more(piece))
    except CutReply:
        cut = True
    finally:
        await stream.aclose()  # type: ignore[attr-defined]
    if cut:
        return _whole_sentences(text[:LONGEST_ANSWER]), True
    show(shown.rest())
    return text, False


def _whole_sentences(text: str) -> str:
    """A text that was cut, up to its last whole sentence: the point of `499.` may stand in the middle of a number."""
    ends = [found.end() for found in _ENDED.finditer(text)]
    return text[: ends[-1]] if ends else ""


def _cleaned(text: str) -> str:
    """The text without what models put around an answer: a heading, a fence, a list of sources of their own."""
    text = _HEAD.sub("", text.strip())
    text = text.replace('"""', "").strip()
    return _OWN_LIST.sub("", text).strip() if len(words(_OWN_LIST.sub("", text))) >= 3 else text


def _useless(text: str, instructions: str, language: str, languages: Sequence[str]) -> str:
    """Why a text is no answer; empty where it may be one."""
    said = words(citing.without_marks(text))
    if not said:
        return "there was no answer"
    if re.match(r"[{\[]\s*[\"{\[}]", text):
        return "it was JSON, not sentences"
    low = [word.casefold() for word in said]
    told = [word.casefold() for word in words(instructions)]
    shingles = {tuple(told[i : i + 6]) for i in range(len(told) - 5)}
    own = [tuple(low[i : i + 6]) for i in range(len(low) - 5)]
    repeated = sum(each in shingles for each in own)
    if repeated > min(0.3 * len(own), _MOST_REPEATED):
        return "it repeated the instructions instead of answering"
    if len(own) >= 12 and len(set(own)) < len(own) / 3:
        return "it said the same over and over"
    if len(said) >= FEWEST_TO_TELL and language in languages:
        found = detected(citing.without_marks(text), list(languages))
        if found and found != language:
            return f"it was in {name_of(found)}, not in {name_of(language)}"
    return ""


def by_code(sources: Sequence[Source], terms: Sequence[str], language: str) -> str:
    """An answer in the sources' own words; that nothing was found where there are none."""
    found = extracting.quotes(sources, terms) or extracting.quotes(sources, ())
    if not found:
        where = telling.say(language, "searched", terms=", ".join(terms)) if terms else ""
        return telling.say(language, "nothing", where=where)
    lines = [f"- {citing.without_marks(quote)} [{place + 1}]" for place, quote in found]
    return "\n".join([telling.say(language, "found"), "", *lines])
