"""Read beginnings of prompts: read once by one process, taken from disk by the next, and never in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphwright.models.prompt_cache import MOST_KEPT, SHORTEST, SUFFIX, prepare

TURNS = [{"role": "system", "content": "Read. " * SHORTEST}, {"role": "user", "content": "hello"}]


class Slots:
    """An engine whose state is the turns it was last given; `works` says whether its files can be trusted."""

    def __init__(self, prefixes: Path) -> None:
        self.prefixes = prefixes
        self.prepared = ""
        self.read: list[Any] = []
        self.actions: list[str] = []
        self.works = True

    def handle_chat_completions(self, body: Mapping[str, Any], /) -> object:
        self.read.append(body["messages"])
        return {}

    def slot(self, action: str, name: str) -> bool:
        self.actions.append(action)
        if self.works and action == "save":
            (self.prefixes / name).write_text("state", "utf-8")
        return self.works


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prefixes").mkdir()
    return tmp_path / "prefixes"


def test_a_beginning_is_read_once_and_restored_by_the_next_process(model: Path, folder: Path) -> None:
    first, second = Slots(folder), Slots(folder)
    prepare(first, model, TURNS)
    prepare(first, model, TURNS)
    assert (first.read, first.actions) == ([TURNS], ["save"])
    prepare(second, model, TURNS)
    assert (second.read, second.actions) == ([], ["restore"])


def test_prompts_that_take_turns_are_restored_each_time_and_read_only_once(model: Path, folder: Path) -> None:
    engine = Slots(folder)
    other = [*TURNS, {"role": "user", "content": "another"}]
    for _ in range(2):
        prepare(engine, model, TURNS)
        prepare(engine, model, other)
    assert engine.read == [TURNS, other]
    assert engine.actions == ["save", "save", "restore", "restore"]


def test_a_prompt_without_examples_in_between_leaves_nothing_to_rely_on(model: Path, folder: Path) -> None:
    engine = Slots(folder)
    prepare(engine, model, TURNS)
    prepare(engine, model, [])
    prepare(engine, model, TURNS)
    assert engine.actions == ["save", "restore"]


def test_what_is_kept_is_the_users_alone_and_nothing_is_left_half_written(model: Path, folder: Path) -> None:
    prepare(Slots(folder), model, TURNS)
    (kept,) = folder.iterdir()
    assert kept.suffix == SUFFIX
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("other", ["turns", "file"])
def test_another_prompt_or_another_model_has_another_beginning(model: Path, folder: Path, other: str) -> None:
    prepare(Slots(folder), model, TURNS)
    turns = TURNS
    if other == "turns":
        turns = [*TURNS, {"role": "user", "content": "more"}]
    else:
        model.write_bytes(b"GGUF and more")
    again = Slots(folder)
    prepare(again, model, turns)
    assert again.actions == ["save"]


def test_a_broken_file_is_read_anew_and_replaced(model: Path, folder: Path) -> None:
    prepare(Slots(folder), model, TURNS)
    broken = Slots(folder)
    broken.works = False
    prepare(broken, model, TURNS)
    assert broken.read == [TURNS]
    assert not list(folder.iterdir())


def test_a_short_beginning_is_not_kept(model: Path, folder: Path) -> None:
    engine = Slots(folder)
    prepare(engine, model, [{"role": "system", "content": "Short."}])
    prepare(engine, model, [])
    assert not engine.actions


def test_the_one_unused_for_longest_goes_first(model: Path, folder: Path) -> None:
    for number in range(MOST_KEPT + 2):
        prepare(Slots(folder), model, [*TURNS, {"role": "user", "content": str(number)}])
        for path in folder.iterdir():
            before = path.stat().st_mtime - 10
            os.utime(path, (before, before))
    first = Slots(folder)
    prepare(first, model, [*TURNS, {"role": "user", "content": "0"}])
    last = Slots(folder)
    prepare(last, model, [*TURNS, {"role": "user", "content": str(MOST_KEPT + 1)}])
    assert len(list(folder.iterdir())) == MOST_KEPT
    assert (first.actions, last.actions) == (["save"], ["restore"])
