"""Paths in a reply: the tool by which the model names one, its examples, and when the user corrects the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphwright.flow.compiled import Path
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.clauses import is_negated
from graphwright.runtime.reading.evidence import EMPTY_WORDS
from graphwright.runtime.reading.examples import Example
from graphwright.runtime.reading.options import options_of, spelled
from graphwright.runtime.reading.turning import takes_back, turns_away
from graphwright.runtime.reading.words import Word, fold_keeping_places, is_form_of, words_of

TOOL = "SelectPath"
LONGEST_RATIONALE = 200
_LONGEST_MESSAGE = 2000
"""Characters of a message that are searched for a correction: who corrects says so at once."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A path that the model named, in its own words: nothing of it has been checked."""

    path: Any
    confidence: Any = None
    rationale: str = ""


def selection(args: Mapping[str, Any]) -> Selection:
    """What a call of the tool says."""
    rationale = " ".join(str(args.get("rationale") or "").encode("utf-8", "replace").decode().split())
    return Selection(args.get("path"), args.get("confidence"), rationale[:LONGEST_RATIONALE])


def path_tool(paths: Mapping[str, Path]) -> dict[str, Any]:
    """The declaration of `SelectPath`. A call that names another path is accepted, to be refused on its own."""
    meanings = "; ".join(f"{name}: {path.description or name}" for name, path in paths.items())
    return {
        "name": TOOL,
        "description": "Only when the message itself shows which path the user wants; beside or instead of answers.",
        "parameters": {
            "type": "object",
            "properties": {
                "rationale": {
                    "type": "string",
                    "maxLength": LONGEST_RATIONALE,
                    "description": "the words of the message that show it",
                },
                "path": {"enum": list(paths), "description": meanings},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "from 0 to 1"},
            },
            "required": ["rationale", "path"],
            "additionalProperties": False,
        },
        "accepts": {"type": "object"},
    }


def path_examples(paths: Mapping[str, Path], offered: Sequence[Candidate], others: Sequence[Example]) -> list[Example]:
    """Examples for the model that reads replies: a path alone, one beside an answer of `others`, and none at all.

    They go before the others, which name no path: a small model does as the last examples do.
    """
    first, *_, last = (*paths.values(), *paths.values())
    made = [{"key": others[0]["key"], "message": _wish(first), "calls": [_call(first)]}]
    for example in others:
        if example["calls"][0]["name"] == "UpdateAnswers":
            message = f"{_wish(last)}. {example['message']}"
            made.append({"key": example["key"], "message": message, "calls": [_call(last), *example["calls"]]})
            break
    for candidate in offered:
        if candidate.question.schema.get("type") == "string" and not options_of(candidate.question.schema):
            said = {"key": candidate.key, "quote": "Robin Hood", "value": "Robin Hood"}
            calls = [{"name": "UpdateAnswers", "args": {"answers": [said]}}]
            made.append({"key": candidate.key, "message": "It is Robin Hood", "calls": calls})
            break
    return made


def _wish(path: Path) -> str:
    return (path.description or path.id.replace("_", " ")).rstrip(" .")


def _call(path: Path) -> dict[str, Any]:
    return {"name": TOOL, "args": {"rationale": _wish(path), "path": path.id, "confidence": 0.9}}


def is_correction(message: str, path: str, paths: Mapping[str, Path], *, explained: bool) -> bool:
    """Whether the user's own words correct the choice to `path`.

    They name it by a word of its id or its description that no other path has, and turn away from something (`no, a
    repair`, `lieber LED`, `not LED but a repair`). Or they name no path, take something back (`I meant the other`,
    `changed my mind`), and say nothing else that it could be about: `explained` says that something else was read.
    """
    head = message[:_LONGEST_MESSAGE]
    words = list(fold_keeping_places(head).words())
    named = {name: _named(head, words, own) for name, own in _own_words(tuple(paths.values())).items()}
    if named[path] is None:
        return takes_back(head) and not explained and not any(named.values())
    return named[path] is True and (turns_away(head) or False in named.values())


@lru_cache(maxsize=64)
def _own_words(paths: tuple[Path, ...]) -> dict[str, tuple[str, ...]]:
    """By path, the words of its id and description that speak for no other one."""
    said = {p.id: {*words_of(f"{spelled(p.id)} {p.description}")} - EMPTY_WORDS for p in paths}
    own: dict[str, tuple[str, ...]] = {}
    for name, words in said.items():
        others = {word for each, found in said.items() if each != name for word in found}
        own[name] = tuple(w for w in words if not any(is_form_of(w, o) or is_form_of(o, w) for o in others))
    return own


def _named(message: str, words: Sequence[Word], own: Sequence[str]) -> bool | None:
    """Whether the message names a path for itself (True), only to deny it (False), or not at all (None)."""
    found = [w for w in words if w.text not in EMPTY_WORDS and any(is_form_of(w.text, meant) for meant in own)]
    return any(not is_negated(message, w.start, w.end) for w in found) if found else None
