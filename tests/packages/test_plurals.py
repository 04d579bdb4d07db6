"""Counts in texts: one thing is named in the singular, so no f-string writes a count before a fixed plural."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import graphwright
from graphwright.flow import _schema_validation as schema_validation
from graphwright.text.catalogue import Catalogue

SOURCES = Path(graphwright.__file__).parents[3]
PLURALS = {
    *(
        "rows",
        "files",
        "columns",
        "pages",
        "entries",
        "users",
        "turns",
        "messages",
        "threads",
        "nodes",
        "edges",
        "lines",
    ),
    *(
        "calls",
        "passages",
        "documents",
        "sheets",
        "steps",
        "records",
        "points",
        "texts",
        "sources",
        "problems",
        "errors",
    ),
}
NEVER_ONE = {
    *("len(own)", "len(file['parts'])", "each.rows_there", "dataset.rows_there", "there", "table.row_count", "dots"),
    *("number", "each['rows']", "count", "size", "len(calls)", "len(header)", "len(missing)", "len(todo)", "most"),
    *("found.total", "len(messages)", "len(found)", "threads", "self.threads", "edges", "node.id", "rule", "e['node']"),
}
"""Counts of samples and of long work, which are more than one, and names that are no counts."""


def _counts(file: Path) -> Iterator[str]:
    """The counts right before a plural in the f-strings of a module."""
    for string in ast.walk(ast.parse(file.read_text("utf-8"))):
        parts = string.values if isinstance(string, ast.JoinedStr) else []
        for value, after in pairwise(parts):
            if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                words = str(after.value).split() if str(after.value).startswith(" ") else []
                words = words[1:] if words[:1] == ["more"] else words
                if words and words[0].strip(".,:;()") in PLURALS:
                    yield ast.unparse(value.value)


def test_a_count_before_a_plural_may_not_be_one() -> None:
    files = [file for file in SOURCES.glob("*/src/**/*.py") if "static" not in file.parts]
    assert len(files) > 300
    found = [
        f"{file.name}: {count}"
        for file in files
        for count in _counts(file)
        if count not in NEVER_ONE and not count.rpartition(".")[2].isupper()
    ]
    assert found == []


@pytest.mark.parametrize(
    ("file", "sentence", "language", "one", "two"),
    [
        ("graphwright_upgrade/wording.json", "got_the_default", "en", "1 of 1 user got", "1 of 2 users got"),
        ("graphwright_upgrade/wording.json", "got_the_default", "de", "1 von 1 Benutzer hat", "1 von 2 Benutzern hab"),
        (
            "graphwright_files/notes.json",
            "views_left_out",
            "en",
            "1 view or virtual table of the database was",
            "2 views",
        ),
        ("graphwright_files/notes.json", "views_left_out", "de", "1 Sicht oder virtuelle Tabelle der", "2 Sichten"),
    ],
)
def test_sentences_name_one_thing_in_the_singular(file: str, sentence: str, language: str, one: str, two: str) -> None:
    (path,) = SOURCES.glob(f"*/src/{file}")
    said = [Catalogue(path).say(language, sentence, n=n, unassigned=1).partition("*")[0] for n in (1, 2)]
    assert [text[: len(start)] for text, start in zip(said, (one, two), strict=True)] == [one, two]


def test_limits_name_one_thing_in_the_singular() -> None:
    texts = [schema_validation.say("en", keyword, limit=1) for keyword in ("minLength", "minItems", "maxItems")]
    assert texts == [
        "it must have at least 1 character",
        "it must have at least 1 entry",
        "it must have at most 1 entry",
    ]
    assert schema_validation.say("de", "minItems", limit=2) == "es muss mindestens 2 Einträge haben"
