"""The text of an answer: streamed from the model with checked links, then checked as a whole and corrected once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from typing import TYPE_CHECKING, Any

from graphwright.context import fenced, without_date_remark
from graphwright.models import CutReply, ModelFailure, UnexpectedCall, astream_text, is_weak
from graphwright.proposals import code_not_in, ids_not_in, links_not_in, numbers_not_in
from graphwright.tools.sources import Source
from graphwright_assistant.assistant.citations import mention, reference
from graphwright_assistant.assistant.frames import say

if TYPE_CHECKING:
    from graphwright import ActionContext

LONGEST_ANSWER = 20_000
"""Maximum length of an answer in characters, after which the model is stopped."""

LONGEST_HELD = 3_000
"""Maximum number of characters that are withheld while a link or a piece of code may still be open."""

_CODE = re.compile(r"(`{1,3}(?!`).+?(?<!`)`{1,3}(?!`))", re.DOTALL)
_LINK = re.compile(
    r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?[^()\n]*\)"  # [label](address)
    r"|^[ \t>*+-]{0,8}\[([^\]\n]+)\]:[ \t]*<?(\S+?)>?[ \t]*$",  # [label]: address
    re.MULTILINE,
)
_ONE_MARK = r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]"
_MARKS = re.compile(rf"{_ONE_MARK}(?:[ \t]*{_ONE_MARK})*(?!\(|:[ \t]*\S+[ \t]*$)", re.MULTILINE)
"""Adjacent marks, such as `[2][6]`; not a link whose text is a number."""
_TAG = re.compile(
    r"<(?=/?(?:a|img|i?frame|script|form|object|embed|link|base|svg|video|audio|style|meta|input)\b)", re.I
)
_SIGNS = frozenset("[<:&\\")
"""A text without any of these characters contains no link."""
_ID_TWICE = re.compile(r"(?<!\[)\b(ELOG \d+)\b([^\[\]\n]{0,160}?)\s*\[\1\]\(([^\s()]+)\)")
_ENTRY = r"(?i)\belog(?:\s+id)?\s*[#:-]?\s*\d+"


class Links:
    """The allowed links of an answer: addresses of the sources, and those in `said`. Marks refer to the first."""

    def __init__(self, sources: Sequence[Source], said: Iterable[str], marked: int = 0, language: str = "en") -> None:
        self.sources, self.marked, self.language = sources, marked, language
        self.images = [image.url for source in sources for image in source.images]
        # The answer of another tool has no address itself, but its text may contain addresses.
        texts = [source.text for source in sources if source.kind == "tool" and not source.url]
        self.known = [*(source.url for source in sources), *links_not_in("\n".join([*said, *texts]), ())]

    @cached_property
    def named(self) -> list[str]:
        """The addresses in the texts of the sources."""
        return links_not_in("\n".join(source.text for source in self.sources), ())

    def checked(self, text: str) -> str:
        """Return the text with its marks as links, each link once, and with unknown addresses as plain text."""
        parts = _CODE.split(text)
        text = _without_repeats(part if place % 2 else self._outside(part) for place, part in enumerate(parts))
        # The id of an entry in the text, followed by its link, becomes one link.
        return _ID_TWICE.sub(r"[\1](\3)\2", text)

    def cited(self, text: str) -> list[Source]:
        """Return the sources that a text cites by mark, link or name, in the order of their first mention."""
        places: dict[int, int] = {}
        for match in _MARKS.finditer(text):
            for number in _numbers(match[0]):
                if 1 <= number <= self.marked:
                    places.setdefault(number - 1, match.start())
        for place, source in enumerate(self.sources):
            if (found := mention(source, text)) >= 0:
                places[place] = min(found, places.get(place, found))
        return [self.sources[place] for place in sorted(places, key=lambda place: places[place])]

    def unknown(self, text: str) -> list[str]:
        """Return the addresses and marks of a text that are not in any source, including their texts."""
        plain = _CODE.sub(" ", text)
        numbers = dict.fromkeys(number for match in _MARKS.finditer(plain) for number in _numbers(match[0]))
        beyond = [f"[{number}]" for number in numbers if self.marked and not 1 <= number <= self.marked]
        found = links_not_in(plain, [*self.known, *self.images])
        return [*(links_not_in(plain, [*self.known, *self.images, *self.named]) if found else ()), *beyond]

    def _outside(self, text: str) -> str:
        if text.isascii() and not _SIGNS.intersection(text) and "www" not in text.lower():
            return text
        text = _TAG.sub("‹", _LINK.sub(self._link, _MARKS.sub(self._mark, text)))
        known = [*self.known, *self.images]
        found = links_not_in(_CODE.sub("", text), known)
        for url in found:
            text = text.replace(url, self._inert(url))
        if not found and "`" not in text:
            return text
        return "\n".join(map(self._line, text.split("\n"))) if links_not_in(text, known) else text

    def _line(self, line: str) -> str:
        if not links_not_in(_CODE.sub("", line), [*self.known, *self.images]):
            return line
        # An address in a form that only a browser recognizes: nothing in this line may become a link.
        plain = unescape(unicodedata.normalize("NFKC", line)).replace("\\", "")
        return plain.replace("](", "] (").replace("]:", "] :").replace("://", " ").replace("<", "‹")

    def _mark(self, match: re.Match[str]) -> str:
        shown: dict[str, None] = {}
        for mark in re.findall(_ONE_MARK, match[0]):
            numbers = _numbers(mark)
            known = all(1 <= number <= self.marked for number in numbers)
            references = (reference(self.sources[number - 1], self.language) for number in numbers)
            shown |= dict.fromkeys(references if known else [mark])
        return " ".join(shown)

    def _link(self, match: re.Match[str]) -> str:
        bang, label, url, name, target = match.groups()
        if name is not None:
            return match[0] if not links_not_in(target, self.known) else f"{name}: {self._inert(target)}"
        if not links_not_in(f"[x]({url})", self.images if bang else self.known):
            return match[0]
        return f"{label} ({self._inert(url)})" if label.strip() not in ("", url) else self._inert(url)

    def _inert(self, url: str) -> str:
        """Return an address as plain text; one that is not in any source without its scheme."""
        return f"`{url if url in self.named else url.partition('://')[2] or url.partition(':')[2] or url}`"


def _without_repeats(parts: Iterable[str]) -> str:
    """Return a text, in parts of which every second is code, with repeated links as their names in brackets."""
    linked: set[str] = set()

    def once(match: re.Match[str]) -> str:
        bang, label, url = match.group(1, 2, 3)
        if bang or url is None or match[0] not in linked:
            linked.add(match[0])
            return match[0]
        inside = match.string[match.start() - 1 : match.start()] == "(" and match.string[match.end() :][:1] == ")"
        return str(label) if inside else f"({label})"

    return "".join(part if place % 2 else _LINK.sub(once, part) for place, part in enumerate(parts))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


class StreamGate:
    """Streams a text: only parts that can no longer become a link, with their links checked."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._waiting = ""

    def feed(self, piece: str, *, last: bool = False) -> str:
        """Return the text that may be shown after this piece; all of it after the last one."""
        self._waiting += piece
        end = len(self._waiting) if last else _safe_end(self._waiting)
        ready, self._waiting = self._waiting[:end], self._waiting[end:]
        return self._links.checked(ready)


def _safe_end(text: str) -> int:
    """Return the end of the part that can be shown: the last white space outside of links, tags and code."""
    end = depth = 0
    closes, code = "", False
    for place, sign in enumerate(text):
        if sign == "`":
            code = not code
        elif code:
            continue
        elif sign == "\n" == text[place - 1 : place]:
            closes, depth, end = "", 0, place + 1
        elif closes:
            closes = "" if sign == closes else closes
        elif sign == "<" and not text[place + 1 : place + 2].isspace():
            closes = ">"
        elif sign == "(" and text[place - 1 : place] == "]":
            closes = ")"
        elif sign in "[]":
            depth = max(0, depth + (1 if sign == "[" else -1))
        elif sign.isspace() and not depth:
            end = place + 1
    return end if len(text) - end < LONGEST_HELD else len(text)


@dataclass(slots=True)
class Answer:
    """The text of an answer, its cited sources, and the notes below it.

    `doubt` is a sentence at its beginning, if no source contains a part of the answer. `failed` is the reason if the
    answer is unusable; then the text is empty.
    """

    text: str = ""
    doubt: str = ""
    cited: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of an answer: `sources` (marks refer to the first ones), what was `said`, `calls`, and the texts
    that the prompt `shows`.

    `today` is an ISO date, from which ages and dates may be calculated.

    Without `figures` numbers are not checked: pictures and general knowledge may contain any.
    """

    sources: Sequence[Source]
    said: Sequence[str]
    calls: Sequence[str]
    shows: Sequence[str]
    today: str
    marked: int = 0
    figures: bool = True

    def unsupported(self, text: str, cited: Sequence[Source]) -> list[str]:
        """Return log entries, numbers, and names in code marks that are not in the evidence, as the text has them."""
        entries = {_entry(each) for each in ids_not_in("\n".join([*self.shows, *self.calls, *self.said]), (), _ENTRY)}
        entries |= {f"elog {number}" for each in self.sources if each.kind == "elog" for number in _entries_of(each)}
        plain = _MARKS.sub("", _LINK.sub(r"\2", text))
        found = [each for each in ids_not_in(plain, (), _ENTRY) if _entry(each) not in entries]
        if self.figures:
            times = [f"{each.metadata.get('time', '')}\n{each.title}\n{each.text}" for each in cited]
            also = [self.today, *self.said, *self.calls]
            numbers = numbers_not_in(_CODE.sub(" ", plain), list(self.shows), also=also, derived=False, cited=times)
            found += [each for each in numbers if not any(each in entry for entry in found)]
        if self.sources:
            texts = [f"{each.title}\n{each.text}\n{fenced(each.text)}" for each in cited or self.sources]
            found += code_not_in(text, [*texts, *self.said, *self.calls])
        return list(dict.fromkeys(found))


def _entry(text: str) -> str:
    return f"elog {''.join(sign for sign in text if sign.isdecimal())}"


def _entries_of(source: Source) -> list[int]:
    return _numbers(" ".join([source.id, *(source.metadata.get(name, "") for name in ("id", "reply_to", "replies"))]))


async def write_answer(
    ctx: ActionContext,
    prompt: str,
    inputs: Mapping[str, Any],
    evidence: Evidence,
    language: str,
    images: Sequence[Any] = (),
) -> Answer:
    """Return the model's answer to a prompt; parts without evidence are sent back to the model once.

    If such parts remain, the answer opens with a sentence on them in `language`, a code; with a weak model it fails.
    """
    links = Links(evidence.sources, [*evidence.said, *evidence.calls], evidence.marked, language)
    answer, wrong = Answer(), {"text": "", "findings": list[str]()}
    for again in (False, True):
        try:
            text, cut = await _streamed(ctx, ctx.prompt(prompt, **inputs, wrong=wrong), images, links, hidden=again)
        except UnexpectedCall:
            raise
        except ModelFailure as failure:
            if not again:
                return Answer(failed=failure.message.rstrip("."))
            break
        if not text:
            return Answer(failed=say(language, "empty_answer"))
        cited = links.cited(text)
        strange, missing = links.unknown(text), evidence.unsupported(text, cited)
        found = [*strange, *missing]
        answer = Answer(links.checked(text), cited=cited)
        if cut:
            answer.notes.append(say(language, cut, most=LONGEST_ANSWER))
        if strange:
            answer.notes.append(say(language, "no_link", found=links.checked(", ".join(strange))))
        if missing:
            answer.doubt = say(language, "not_confirmed", found=", ".join(missing))
        if found and is_weak(ctx.model):
            return Answer(failed=say(language, "unproven", found=links.checked(", ".join(found))))
        if again:
            ctx.stream("\n\n".join(filter(None, [answer.doubt, answer.text])), afresh=True)
        if not found:
            break
        wrong = {"text": text, "findings": found}
    return answer


async def _streamed(
    ctx: ActionContext, messages: Sequence[Any], images: Sequence[Any], links: Links, *, hidden: bool
) -> tuple[str, str]:
    """Stream the text as the model writes it, with its links checked; return it, and why it is incomplete, if it is.

    A `hidden` text is not streamed: it corrects one that failed its checks, and must pass them before it is shown.
    """
    if images:
        messages[-1].content = [{"type": "text", "text": messages[-1].text}, *images]
    text, cut, gate = "", "", StreamGate(links)

    def show(ready: str) -> None:
        if ready and not hidden:
            ctx.stream(ready)

    stream = astream_text(ctx.model, messages)
    try:
        async for piece in stream:
            cut = "long_answer" if len(text) + len(piece) > LONGEST_ANSWER else ""
            piece = piece[: LONGEST_ANSWER - len(text)]
            text += piece
            show(gate.feed(piece))
            if cut:
                break
    except CutReply:
        cut = "cut_answer"
    finally:
        await stream.aclose()  # type: ignore[attr-defined]
    show(gate.feed("", last=True))
    return without_date_remark(text.strip()), cut
