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


def test_findings_survive_json() -> None:
    found = Findings((ENTRY,), 12, "Eleven more were left out.")
    assert Findings.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_total_is_at_least_what_is_there() -> None:
    assert Findings.from_json({"sources": [SHORT, SHORT]}).total == 2
    assert Findings.from_json({"sources": [SHORT, SHORT], "total": 1}).total == 2


@pytest.mark.parametrize(
    ("kind", "value", "place"),
    [
        *((Source, value, "source: ") for value in (None, [], "text")),
        (Source, {**SHORT, "id": ""}, "source.id: "),
        (Source, {**SHORT, "kind": ""}, "source.kind: "),
        (Source, {**SHORT, "id": 17}, "source.id: "),
        (Source, {**SHORT, "url": None}, "source.url: "),
        (Source, {"id": "a", "kind": "tool", "url": ""}, "source.title: "),
        (Source, {**SHORT, "score": "1"}, "source.score: "),
        (Source, {**SHORT, "metadata": []}, "source.metadata: "),
        (Source, {**SHORT, "metadata": {"page": 7}}, "source.metadata.page: "),
        (Source, {**SHORT, "text": ["a"]}, "source.text: "),
        (Source, {**SHORT, "images": "a.png"}, "source.images: "),
        (Source, {**SHORT, "images": ["a.png"]}, "source.images.0: "),
        (Source, {**SHORT, "images": [{"caption": "a"}]}, "source.images.0.url: "),
        (Source, {**SHORT, "images": [{"url": ""}]}, "source.images.0.url: "),
        (Source, {**SHORT, "images": [{"url": "a", "data": "b"}]}, "source.images.0.data: "),
        (Findings, [], "findings: "),
        (Findings, {}, "findings.sources: "),
        (Findings, {"sources": [{}]}, "findings.sources.0.id: "),
        (Findings, {"sources": [], "total": "1"}, "findings.total: "),
        (Findings, {"sources": [], "total": True}, "findings.total: "),
        (Findings, {"sources": [], "note": 1}, "findings.note: "),
        (Findings, {"sources": [], "hits": 1}, "findings.hits: "),
    ],
)
def test_another_shape_is_refused_with_its_place(kind: type[Source | Findings], value: object, place: str) -> None:
    with pytest.raises(NoSource, match=re.escape(place)):
        kind.from_json(value)
