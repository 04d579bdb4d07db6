"""Questions to the assistant, the expected content of their answers, and the data kept of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, model_validator

from eval.asking import Question
from eval.assistant.corpora import Corpus, known_files
from eval.wording import Claim, Fact
from graphwright.proposals import ids_not_in, links_not_in, numbers_not_in

if TYPE_CHECKING:
    from graphwright import Turn

ENTRY = r"(?:#|\b(?:entry|entries|eintrag|entrée|entrada)\s+(?:n[ro]?[°º.]?\s*)?)(\d{1,4})\b"
"""The forms of the number of a log entry in a text."""

_KNOWN_ENTRY = re.compile(r"(?:#|/|\bid\W{1,4}|elog[:-])(\d{1,4})\b", re.IGNORECASE)
_LINK = re.compile(r"(?:https?|file)://[^\s<>\"'`|\\\]]+")


class Expect(BaseModel):
    """The expected answer to a turn: it cites one of each group of `sources`, and says each of the `facts`.

    A source is the path of a page, the name of a given file, or a log entry as `#171`. If the sources have no answer
    (`unanswerable`), the answer must say so; it must not say `never`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[tuple[str, ...], ...] = ()
    facts: tuple[Fact, ...] = ()
    never: tuple[Claim, ...] = ()
    unanswerable: bool = False

    @model_validator(mode="after")
    def _asks_for_something(self) -> Expect:
        if self.unanswerable == bool(self.sources):
            raise ValueError("there are either sources, or none of them says it")
        return self


class ResearchQuestion(Question):
    """A question over a corpus; `first` is expected of the first turn, `expect` of the last."""

    corpus: Corpus = "sample"
    style: str = ""
    other_words: bool = False
    first: Expect | None = None
    expect: Expect

    @model_validator(mode="after")
    def _fits(self) -> ResearchQuestion:
        if unknown := sorted({*self.files} - known_files()):
            raise ValueError(f"{self.id}: there is no file {unknown[0]}")
        if (len(self.turns) == 2) != (self.first is not None):
            raise ValueError(f"{self.id}: a first of two turns needs an expectation, and no other")
        return self


class Seen:
    """The data kept of a turn: the text, and its parts without a source in the results, files and messages so far."""

    def __init__(self, case: ResearchQuestion, files: Sequence[Path]) -> None:
        self._said = list(case.turns)
        self._known = [*case.turns, *case.files]
        for file in files:
            self._known.append(file.read_text("utf-8") if file.suffix == ".md" else "")

    def __call__(self, turn: Turn, wrote: str) -> Mapping[str, Any]:
        results: Sequence[Mapping[str, Any]] = turn.values.get("tool_results") or ()
        return self.kept(_own(turn.reply, wrote), results, sum(bool(each.get("ok")) for each in results), wrote)

    def kept(self, text: str, found: Iterable[Mapping[str, Any]], looked: int, wrote: str = "") -> dict[str, Any]:
        """The turn as JSON: `links`, `entries` and `numbers` without a source; `looked` counts the calls.

        A link in the model's text also counts if the user does not see it.
        """
        self._known += [json.dumps(each, ensure_ascii=False, default=str) for each in found]
        links = [link for each in self._known for link in _LINK.findall(each)]
        plain = [link.partition("#")[0] for link in links]
        entries = [f"#{number}" for each in self._known for number in _KNOWN_ENTRY.findall(each)]
        named = " ".join(f"#{number}" for number in re.findall(ENTRY, text, re.IGNORECASE))
        return {
            "text": text,
            "reply": text,
            "wrote": text,
            "links": links_not_in(f"{text}\n{wrote}", [*links, *plain, *_relative(text, self._known)]),
            "entries": ids_not_in(named, entries, r"#\d+"),
            "numbers": numbers_not_in(text, self._known),
            "looked": looked,
        }


def _relative(text: str, known: Sequence[str]) -> list[str]:
    """The targets of links that are not addresses but known names: a file, the path of a page."""
    targets = re.findall(r"\]\(\s*<?([^)\s>]+)", text)
    return [each for each in targets if "://" not in each and any(each.partition("#")[0] in text for text in known)]


def _own(reply: str, wrote: str) -> str:
    """The paragraphs of a reply that the model wrote, without lists of sources, notes and inserted passages."""

    def letters(text: str) -> str:
        return "".join(sign for sign in text.casefold() if sign.isalnum())

    whole = letters(wrote)
    paragraphs = [each for each in re.split(r"\n\s*\n", reply) if letters(each)]
    return "\n\n".join(each for each in paragraphs if letters(each)[:15] in whole)
