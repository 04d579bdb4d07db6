"""Checklists: lists of questions with priorities and dependencies, and paths with further questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, Field

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._document import PathPolicy, Record
from graphwright.flow._source import Path, Reporter, Source, read_plain
from graphwright.flow.diagnostics import Diagnostic
from graphwright.text.near_names import Names


class _Question(Record):
    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)
    called = "A question of a checklist"

    key: str = Field(min_length=1, description="The name of the answer.")
    prompt: str = Field(description="The text of the question.")
    required: bool = Field(True, description="Whether it is asked (default true).")
    priority: int = Field(0, description="The lowest is asked first (default 0).")
    dependencies: list[str] = Field(default_factory=list, description="The keys that are answered before.")
    validate_: Any = Field(None, alias="validate", description="A check of the value.")
    when: str = Field("", description="A condition.")


class _Path(Record):
    called = "A path of a checklist"

    description: str = Field("", description="What the path is for.")
    questions: list[_Question] = Field(description="The questions of the path.")


class _Checklist(Record):
    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)
    called = "A checklist"

    id: str = Field("", description="The id.")
    title: str = Field("", description="The title.")
    questions: list[_Question] = Field(description="The questions.")
    paths: dict[str, _Path] = Field(default_factory=dict, description="Further questions for each path.")
    path_policy: PathPolicy | None = Field(None, description="When the choice of a path is final.")


FIELDS = frozenset(("key", "prompt", "required", "priority", "dependencies", "validate", "when"))
"""The fields of a question."""


@dataclass(frozen=True, slots=True)
class ChecklistQuestion:
    """One question. `path` is its place in the checklist."""

    key: str
    prompt: str
    required: bool
    priority: int
    dependencies: tuple[str, ...]
    data: Mapping[str, Any]
    path: Path


@dataclass(frozen=True, slots=True)
class Checklist:
    """The questions, and those of each path: the ones that are asked while it is chosen, with those of the checklist.

    A question of a path replaces the question of the checklist that has the same key.
    """

    data: Mapping[str, Any]
    questions: tuple[ChecklistQuestion, ...]
    paths: Mapping[str, tuple[ChecklistQuestion, ...]]


def looks_like_checklist(data: Any) -> bool:
    """Whether data of a document is a checklist: a list of questions, or a mapping with `questions`."""
    return isinstance(data, list) or (isinstance(data, Mapping) and "questions" in data and "nodes" not in data)


def read_checklist(text: str | bytes) -> tuple[Checklist | None, Source | None, tuple[Diagnostic, ...]]:
    """Read a checklist in YAML or JSON. If it cannot be read, the checklist is None and the diagnostics say why."""
    source, found = read_plain(text)
    if source is None or found:
        return None, source, tuple(found)
    out = Reporter(source)
    listed = isinstance(source.data, list)
    if not looks_like_checklist(source.data):
        hint = "Each question has `key` and `prompt`, and may have `required`, `priority`, `dependencies`, `validate`."
        out.add(Code.NOT_A_MAPPING, (), "A checklist is a list of questions, or a mapping with `questions`.", hint)
        return None, source, out.sorted()
    data: Any = {"questions": source.data} if listed else source.data
    checked = _Checklist.checked(data, out) if not listed else _Checklist.checked(data, _Inside(source, out))
    if out.has_errors:
        return None, source, out.sorted()
    prefix: Path = () if listed else ("questions",)
    questions = _questions(checked["questions"], prefix)
    paths = {}
    for name, path in checked.get("paths", {}).items():
        own = _questions(path["questions"], ("paths", name, "questions"))
        paths[name] = tuple({each.key: each for each in (*questions, *own)}.values())
        _check_keys(own, out)
    _check_keys(questions, out)
    checklist = Checklist(checked, questions, paths)
    _check_dependencies(checklist, out)
    return (None if out.has_errors else checklist), source, out.sorted()


class _Inside(Reporter):
    """Reports about the list of a checklist without a mapping around it."""

    def __init__(self, source: Source, out: Reporter) -> None:
        super().__init__(source)
        self.found = out.found

    def add(self, code: Code, path: Path, message: str, hint: str = "", **more: Any) -> None:
        super().add(code, path[1:], message, hint, **more)


def _questions(items: Iterable[Mapping[str, Any]], prefix: Path) -> tuple[ChecklistQuestion, ...]:
    return tuple(
        ChecklistQuestion(
            item["key"],
            item["prompt"],
            item.get("required", True),
            item.get("priority", 0),
            tuple(item.get("dependencies", ())),
            item,
            (*prefix, place),
        )
        for place, item in enumerate(items)
    )


def _check_keys(questions: Iterable[ChecklistQuestion], out: Reporter) -> None:
    known: dict[str, Path] = {}
    for each in questions:
        if each.key in known:
            message = f"Two questions have the key `{each.key}`."
            related = [("first here", known[each.key])]
            out.add(Code.DUPLICATE_FIELD, (*each.path, "key"), message, "Keep one of them.", related=related)
        known.setdefault(each.key, (*each.path, "key"))


def _check_dependencies(checklist: Checklist, out: Reporter) -> None:
    everything = {each.path: each for part in (checklist.questions, *checklist.paths.values()) for each in part}
    known = {each.key for each in everything.values()}
    for each in everything.values():
        for place, key in enumerate(each.dependencies):
            if key not in known:
                hint = Names(known).hint(key, "Without it the question is never asked.")
                message = f"`{each.key}` depends on `{key}`, which no question asks."
                out.add(Code.UNKNOWN_NODE, (*each.path, "dependencies", place), message, hint)
