"""The text of an answer: streamed from the model, held against the sources, and mended by code where it must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant import citing, echoing, extracting, listing, quoting, supporting, telling
from graphwright.agents.assistant.grounding import Numbers, unfounded, without
from graphwright.agents.assistant.language import detected, name_of
from graphwright.agents.assistant.passages import sentences
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.quoting import Quote
from graphwright.agents.assistant.words import TELLING, shared, shares, stems, words
from graphwright.context import without_date_remark
from graphwright.models import CutReply, ModelFailure, ModelUnavailable, astream_text
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

if TYPE_CHECKING:
    from graphwright import ActionContext

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
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
_ITEM = re.compile(r"[ \t]*(?:[-*•#>|]+|\d{1,2}[.)])[ \t]+")
_DOLLARS = re.compile(r"(?<![$\w])\$\s?(\d[\d,.]*\d|\d)(?:\s*(?:USD|dollars?))?(?![\d$]|[^\n$]{0,80}\$)")


@dataclass(slots=True)
class Answer:
    """An answer before it is put together: its text with marks and links as they were, and what is to be noted.

    Marks name the first `marked` of the sources; `uncited` is the model's text where it set none itself. `about` are
    the words of the question, `kinds` those of the sources that its parts ask for. Notes may name addresses of `hosts`.
    """

    text: str
    sources: Sequence[Source]
    language: str
    notes: list[str] = field(default_factory=list)
    made_by_code: bool = False
    marked: int = 0
    about: Sequence[str] = ()
    uncited: str = ""
    kinds: Sequence[str] = ()
    hosts: Collection[str] = ()

    def finished(self) -> tuple[str, int]:
        """The answer as the user gets it, and how many links were taken out of it."""
        found = citing.cited(_with_money(self.text), self.sources, marked=self.marked)
        # Of what code names the sources stand in its order.
        used = tuple(sorted(found.used)) if self.made_by_code else found.used
        if not self.made_by_code:
            best = supporting.places(found.text, self.sources, self.about)
            # What holds the answer stands first, whichever mark came first.
            used = tuple(place for place in best if place in used or not used) + used
            if self.uncited:
                used += tuple(self._supporting_own())
        used = tuple(dict.fromkeys((*used, *supporting.pages(found.text, self.sources))))
        listed = citing.source_list(self.sources, used, telling.say(self.language, "sources"))
        notes = [*self.notes, telling.removed(self.language, found.removed)]
        clean = [citing.cited(citing.as_text(note, self.hosts), self.sources, marked=0).text for note in notes]
        return telling.put_together(found.text, listed, clean), found.removed

    def _supporting_own(self) -> list[int]:
        """The places of the sources that hold what the model itself says, the best of each kind among them."""
        found = supporting.places(self.uncited, self.sources, self.about)
        for kind in self.kinds:
            places = [place for place, source in enumerate(self.sources) if source.kind == kind]
            best = supporting.places(self.uncited, [self.sources[place] for place in places], self.about)[:1]
            found += [places[place] for place in best]
        return found


def _with_money(text: str) -> str:
    """Amounts as `111,431 USD`: a single dollar sign would begin mathematics."""
    return _DOLLARS.sub(r"\1 USD", text)


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
    asked: Sequence[Question],
    images: Sequence[dict[str, Any]] = (),
    listed: Sequence[int] = (),
) -> Answer:
    """The model's answer to a prompt, asked for once more where it is of no use, and then made `otherwise`, by code.

    Of the sources the prompt numbers the first `marked`; `listed` are the places of those that a question for a list
    asks for: the answer is to name them all, and not to deny that there are any. Sentences with numbers that stand in
    no source are left out; what the answer lacks of what the sources say on the parts of the question, `asked`, is
    quoted below it.
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
            text = _in_one_language(echoing.without_sources(_cleaned(text), sources[:marked]), language)
        except ModelUnavailable:
            raise
        except ModelFailure as failure:
            why = failure.message.rstrip(".")
            notes.append(telling.say(language, "model", why=why[:1].lower() + why[1:]))
            break
        wrong = _useless(text, str(messages[0].text), language, languages)
        if not wrong and marked and len(words(text)) < FEWEST_ALONE and not _rests_on(text, sources, marked):
            wrong = "it said nothing of what the sources say"
        if not wrong and quoting.only_agrees(text, asked, sources):
            wrong = "no source says that; say what they do say"
        if not wrong and marked and listing.denies(text, asked, sources, listed):
            wrong = "it said that there was none, but the sources speak of some: name them"
        if not wrong and not again and marked and (told := quoting.denied(text, asked, sources)):
            wrong = f'it said that the sources do not tell, but one says: "{told}"'
        if wrong:
            continue
        if cut:
            notes = [telling.say(language, "cut")]
        flagged = unfounded(citing.without_marks(text), known, most=max(1, len(sources)))
        kept = without(text, flagged) if flagged else text
        kept = supporting.with_right_pages(kept, sources)
        if flagged and unfounded(citing.without_marks(kept), known, most=max(1, len(sources))):
            # What is named by the text of a link is only seen without the link.
            kept = without(citing.without_marks(text), flagged)
        if not flagged or len(words(citing.without_marks(kept))) >= max(4, len(words(text)) // 3):
            notes += [telling.say(language, "numbers")] if flagged else []
            answer = Answer(kept, sources, language, notes, marked=marked)
            if marked and not citing.cited(kept, sources, marked=marked).used:
                answer.text, answer.uncited = _marked(kept, sources[:marked], asked), kept
                answer.kinds = [part.wants for part in asked if part.wants] if len(asked) > 1 else ()
            added = _added(answer.text, sources, marked, asked, listed, language)
            if added:
                ctx.stream(f"\n\n{citing.cited(added, sources, marked=marked).text}")
            answer.text = f"{answer.text}\n\n{added}".strip()
            return answer
        notes = []
        wrong = f"these figures stand in no source: {', '.join(flagged[:8])}"
    ctx.stream("", afresh=True)
    # Of a list the entries are the answer, not the sentences of them with most of the words.
    entries = _listed(listed, sources, marked, language)
    text = "\n".join([telling.say(language, "found"), "", *entries]) if entries else otherwise()
    return Answer(text, sources, language, notes, made_by_code=True, marked=len(sources))


def _marked(text: str, sources: Sequence[Source], asked: Sequence[Question]) -> str:
    """A text that names no source, with the mark of the one that holds it behind each sentence, of a run once."""
    lines = []
    before = ""
    for line in reversed(text.split("\n")):
        end = len(line)
        head = _ITEM.match(line)
        for sentence in reversed(sentences(line[head.end() :] if head else line)):
            at = line.rfind(sentence, 0, end)
            place = _support(sentence, sources, asked) if at >= 0 else None
            if place is None:
                continue
            end, mark = at, f" [{place + 1}]"
            if mark != before:
                stop = at + len(sentence.rstrip(".!?:"))
                line = f"{line[:stop]}{mark}{line[stop:]}"
            before = mark
        lines.append(line)
    return "\n".join(reversed(lines))


def _support(sentence: str, sources: Sequence[Source], asked: Sequence[Question]) -> int | None:
    """The place of the source that holds a sentence: of the kind that is asked for where it answers, if one is."""
    there = stems(sentence)
    parts = [(sum(shares(term, there) for term in part.terms) / len(part.terms), part) for part in asked if part.terms]
    best = max((share for share, _ in parts), default=0.0)
    wants = {part.wants for share, part in parts if share == best}
    kind = wants.pop() if len(asked) > 1 and len(wants) == 1 else ""
    about = [term for part in asked for term in part.terms]
    places = [place for place, source in enumerate(sources) if not kind or source.kind == kind] or range(len(sources))
    found = supporting.places(sentence, [sources[place] for place in places], about)
    return places[found[0]] if found else None


def _added(
    text: str, sources: Sequence[Source], marked: int, asked: Sequence[Question], listed: Sequence[int], language: str
) -> str:
    """What a text lacks of what the sources say: the log entries of a list that it leaves out, else quotations."""
    left = listing.left(text, listed, sources, marked)
    if left:
        return "\n".join([telling.say(language, "entries"), "", *_listed(left, sources, marked, language)])
    if len(asked) == 1 and asked[0].lists:
        return ""
    found = quoting.lacking(text, asked, sources)
    return "\n\n".join(_quotation(quote, sources, marked, language) for quote in found)


def _listed(places: Sequence[int], sources: Sequence[Source], marked: int, language: str) -> list[str]:
    quotes = [Quote(place, (quoting.plain(sources[place].title),)) for place in places]
    lines = [f"- {_quotation(quote, sources, marked, language)}" for quote in quotes[: listing.MOST_NAMED]]
    more = len(quotes) - len(lines)
    return [*lines, "", telling.say(language, "left_out", count=more)] if more else lines


def _quotation(quote: Quote, sources: Sequence[Source], marked: int, language: str) -> str:
    """Words of a source with where they are from; of a log entry also when, by whom, and its category and system."""
    source = sources[quote.place]
    entry = source.kind == "elog"
    lead = citing.described(replace(source, title="")) if entry else telling.say(language, "source")
    whole = " ".join(quote.items)
    spoken = language_of(whole, TELLING) or language_of(source.text, TELLING)
    if spoken and spoken != language:
        lead = f"{lead}, {telling.say(language, f'in_{spoken}')}"
    mark = f"[{quote.place + 1}]" if quote.place < marked else citing.reference(source)
    if len(quote.items) > 1:
        return "\n".join([f"{lead} {mark}:", "", *(f"- {item}" for item in quote.items)])
    return f"{lead}: {telling.say(language, 'quote', text=whole)} {mark}"


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
    text = without_date_remark(_HEAD.sub("", text.strip()))
    text = text.replace('"""', "").strip()
    return _OWN_LIST.sub("", text).strip() if len(words(_OWN_LIST.sub("", text))) >= 3 else text


def _in_one_language(text: str, language: str) -> str:
    """The text without paragraphs in another language behind one in the right one; what is quoted may be in any."""
    paragraphs = re.split(r"\n\s*\n", text)
    spoken = [
        "" if each.lstrip().startswith((">", "|", "```")) else language_of(_QUOTED.sub(" ", each), TELLING)
        for each in paragraphs
    ]
    if language not in spoken:
        return text
    first = spoken.index(language)
    kept = [each for place, each in enumerate(paragraphs) if place <= first or spoken[place] in ("", language)]
    return text if len(kept) == len(paragraphs) else "\n\n".join(kept)


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
