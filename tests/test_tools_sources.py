"""Sources: what they look like as JSON, and what is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from graphwright.tools.sources import Findings, NoSource, Source, SourceImage

ENTRY = Source(
    id="elog:17",
    title="RF trip",
    url="https://elog.example/17",
    kind="elog",
    metadata={"author": "Ada", "date": "2026-11-20"},
    text="The klystron tripped.",
    images=(SourceImage("https://elog.example/17.png", "Scope"), SourceImage("https://elog.example/18.png")),
)
SHORT: dict[str, Any] = {"id": "a", "title": "", "url": "", "kind": "tool"}


def test_a_source_survives_json() -> None:
    assert Source.from_json(json.loads(json.dumps(ENTRY.to_json()))) == ENTRY


def test_what_may_be_missing_is_empty() -> None:
    assert Source.from_json(SHORT) == Source("a", "", "", "tool", {}, "", ())
    image = SourceImage.from_json({"url": "https://a.example/b.png"})
    assert image == SourceImage("https://a.example/b.png", "")


def test_what_is_read_is_a_copy() -> None:
    given = {**SHORT, "metadata": {"page": "7"}}
    read = Source.from_json(given)
    given["metadata"]["page"] = "8"
    assert read.metadata == {"page": "7"}
    read.to_json()["metadata"]["page"] = "9"
    assert read.metadata == {"page": "7"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "source is not an object, but null"),
        ([], "source is not an object, but list"),
        ("text", "source is not an object, but str"),
        ({**SHORT, "id": ""}, "source.id is empty"),
        ({**SHORT, "kind": ""}, "source.kind is empty"),
        ({**SHORT, "id": 17}, "source.id is not a text, but int"),
        ({**SHORT, "url": None}, "source.url is not a text, but null"),
        ({"id": "a", "kind": "tool", "url": ""}, "source.title is missing"),
        ({**SHORT, "score": "1"}, "source has no field 'score'"),
        ({**SHORT, "metadata": []}, "source.metadata is not an object, but list"),
        ({**SHORT, "metadata": {"page": 7}}, "source.metadata.page is not a text, but int"),
        ({**SHORT, "text": ["a"]}, "source.text is not a text, but list"),
        ({**SHORT, "images": "a.png"}, "source.images is not a list, but str"),
        ({**SHORT, "images": ["a.png"]}, "image is not an object, but str"),
        ({**SHORT, "images": [{"caption": "a"}]}, "image.url is missing"),
        ({**SHORT, "images": [{"url": ""}]}, "image.url is empty"),
        ({**SHORT, "images": [{"url": "a", "data": "b"}]}, "image has no field 'data'"),
    ],
)
def test_another_shape_is_refused(value: object, why: str) -> None:
    with pytest.raises(NoSource, match=re.escape(why)):
        Source.from_json(value)


def test_findings_survive_json() -> None:
    found = Findings((ENTRY,), 12, "Eleven more were left out.")
    assert Findings.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_total_is_at_least_what_is_there() -> None:
    assert Findings.from_json({"sources": [SHORT, SHORT]}).total == 2
    assert Findings.from_json({"sources": [SHORT, SHORT], "total": 1}).total == 2


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "findings is not an object, but list"),
        ({}, "findings.sources is not a list, but null"),
        ({"sources": [{}]}, "source.id is missing"),
        ({"sources": [], "total": "1"}, "findings.total is not a whole number, but str"),
        ({"sources": [], "total": True}, "findings.total is not a whole number, but bool"),
        ({"sources": [], "note": 1}, "findings.note is not a text, but int"),
        ({"sources": [], "hits": 1}, "findings has no field 'hits'"),
    ],
)
def test_findings_of_another_shape_are_refused(value: object, why: str) -> None:
    with pytest.raises(NoSource, match=re.escape(why)):
        Findings.from_json(value)
