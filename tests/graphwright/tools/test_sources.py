"""Sources: their JSON, and refused values."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from graphwright.tools.sources import FINDINGS_SCHEMA, Findings, NoSource, Source, SourceImage

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


def test_findings_survive_json_and_what_may_be_missing_is_empty() -> None:
    found = Findings((ENTRY,), 12, "Eleven more were left out.")
    written = json.loads(json.dumps(found.to_json()))
    assert Findings.from_json(written) == found
    assert set(written) == set(FINDINGS_SCHEMA["required"])
    assert set(written["sources"][0]) == set(FINDINGS_SCHEMA["properties"]["sources"]["items"]["required"])
    assert Source.from_json(SHORT) == Source("a", "", "", "tool", {}, "", ())
    # A total is at least the number of sources.
    assert Findings.from_json({"sources": [SHORT, SHORT], "total": 1}).total == 2


@pytest.mark.parametrize(
    ("kind", "value", "place"),
    [
        (Source, None, "source: "),
        (Source, {**SHORT, "id": ""}, "source.id: "),
        (Source, {"id": "a", "kind": "tool", "url": ""}, "source.title: "),
        (Source, {**SHORT, "score": "1"}, "source.score: "),
        (Source, {**SHORT, "metadata": {"page": 7}}, "source.metadata.page: "),
        (Source, {**SHORT, "images": [{"url": "a", "data": "b"}]}, "source.images.0.data: "),
        (Findings, {}, "findings.sources: "),
        (Findings, {"sources": [{}]}, "findings.sources.0.id: "),
        (Findings, {"sources": [], "total": True}, "findings.total: "),
    ],
)
def test_another_shape_is_refused_with_its_place(kind: type[Source | Findings], value: object, place: str) -> None:
    with pytest.raises(NoSource, match=re.escape(place)):
        kind.from_json(value)
