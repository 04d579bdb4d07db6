"""The verbs in a piece of a sentence, and what leads to them: nothing, "could you", "I want to"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphwright.agents.upgrade.words.saying import Fragment, Saying, phrase_at
from graphwright.agents.upgrade.words.vocabulary import (
    BASE,
    DOING,
    DONE,
    GENERIC,
    LEADS,
    LONGEST_VERB,
    NOT_SLIPS,
    SEPARABLE,
    SLIPS,
    SOFT,
)
from graphwright.runtime.reading.words import Stretch, Word, is_typo_of, vocabulary

_BEHIND_IT = vocabulary("bitte please wieder again now then")
_ASKED_BY = vocabulary("where when why how which who whose wo wann warum wie wieso welche welcher welches wer")
POLITE = vocabulary("can could would will kannst konntest wurdest konnen konnten please bitte let lets")


@dataclass(frozen=True, slots=True)
class Hints:
    """What else a message names: a number of users, a user (`single`: no more than one), weights, a new name.

    `grouped`: groups; `listed`: users or groups that could stand on a list; `parts`: conditions and decision points.
    """

    many: bool = False
    user: bool = False
    weighted: bool = False
    renamed: bool = False
    single: bool = False
    grouped: bool = False
    listed: bool = False
    parts: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb in a piece: at which of its words it begins, how many it is, and its form."""

    verb: str
    at: int
    size: int
    form: Literal["base", "done", "doing"]
    slip: bool = False


class Piece:
    """A fragment of a message. `words` are those in which verbs are looked for, `all` every one."""

    def __init__(
        self, saying: Saying, fragment: Fragment, kept: Sequence[Stretch], names: Sequence[Stretch], hints: Hints
    ) -> None:
        self.saying, self.fragment, self.hints = saying, fragment, hints
        self.words = saying.between(fragment.start, fragment.end, kept)
        self.all = saying.between(fragment.start, fragment.end)
        self.names = [name for name in names if fragment.start <= name.start and name.end <= fragment.end]
        self.texts = frozenset(word.text for word in self.words)


def verbs_in(piece: Piece) -> list[Verb]:
    """The verbs of a piece, in order."""
    found: list[Verb] = []
    at = 0
    while at < len(piece.words):
        for table, form in ((BASE, "base"), (DONE, "done"), (DOING, "doing")):
            phrase = phrase_at(piece.words, at, table, LONGEST_VERB)
            if phrase:
                found.append(Verb(table[phrase], at, len(phrase), form))  # type: ignore[arg-type]
                break
        else:
            verb = _in_two_parts(piece, at) or _slip(piece, at)
            if verb is not None:
                found.append(verb)
        at += found[-1].size if found and found[-1].at == at else 1
    return [_in_two_parts(piece, verb.at) or verb for verb in found]


def _slip(piece: Piece, at: int) -> Verb | None:
    word = piece.words[at].text
    if len(word) < 4 or word in NOT_SLIPS or word in GENERIC or not lead_of(piece, at):
        return None
    meant = {BASE[(each,)] for each in SLIPS if is_typo_of(word, each)}
    return Verb(meant.pop(), at, 1, "base", slip=True) if len(meant) == 1 else None


def _in_two_parts(piece: Piece, at: int) -> Verb | None:
    """ "brich ... ab", "turn ... off": what the last word of the fragment makes of a verb."""
    last = next((word.text for word in reversed(piece.words) if word.text not in _BEHIND_IT), "")
    joined = SEPARABLE.get((piece.words[at].text, last))
    if joined is None or at + 1 >= len(piece.words):
        return None
    # "Let's get started" starts no experiment.
    between = len(piece.words) - at > 2 or bool(piece.names)
    return Verb(joined, at, 1, "base") if between or piece.words[at].text != "get" else None


def lead_of(piece: Piece, at: int) -> Literal["", "first", "polite", "wish"]:
    """What leads to the word as the verb of an order: nothing that matters, "could you", "I want to"."""
    words = piece.all
    place = words.index(piece.words[at])
    while place > 0:
        lead = next(
            (n for n in range(min(5, place), 0, -1) if tuple(w.text for w in words[place - n : place]) in LEADS), 0
        )
        if lead:
            if any(word.text in _ASKED_BY for word in words[: place - lead]):
                # "Where can we run experiments?"
                return ""
            if words[place - lead].text in POLITE or words[place - lead + 1].text in ("kind", "enough"):
                return "polite"
            asked = words[place - lead].text in ("you", "we") and _asks_before(piece, place - lead)
            return "" if asked else "wish"
        if not is_soft(words[place - 1].text):
            break
        place -= 1
    return "first" if place == 0 or _only_names(piece, words[:place]) else ""


def is_soft(word: str) -> bool:
    """Whether a word may stand before the verb of an order and changes nothing of it: "now", "permanently"."""
    return word in SOFT or (len(word) > 5 and word.endswith("ly"))


def _asks_before(piece: Piece, place: int) -> bool:
    return any(word.text in ("do", "did", "when", "why", "how", "what") for word in piece.all[:place])


def _only_names(piece: Piece, words: Sequence[Word]) -> bool:
    """ "Foo: start it", "for the Foo experiment, please stop": names and what belongs to them."""
    known = {
        "experiment",
        "called",
        "named",
        "test",
        "the",
        "for",
        "das",
        "fur",
        "dem",
        "with",
        "regarding",
        "about",
        "let",
    }
    if words[0].text in ("after", "afterwards", "when", "once"):
        known |= {"after", "afterwards", "when", "once", "it", "ends", "end", "is", "over", "ended", "completes"}
        return all(word.text in known for word in words)
    return bool(piece.names) and all(
        word.text in known or any(name.start <= word.start < name.end for name in piece.names) for word in words
    )
