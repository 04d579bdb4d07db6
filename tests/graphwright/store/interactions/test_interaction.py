"""No secret of the environment gets into the interaction log, in any encoding."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.store.interactions import LONGEST_TEXT, Query
from graphwright.store.interactions._interaction import Redactor, bounded, bounded_object, plain_value
from interactions_support import interaction, sink

NAMES = ["MY_KEY", "KEY_2", "a_token", "SECRET_SAUCE", "DB_PASSWORD_OLD", "PASSWD", "AWS_CREDENTIALS", "XTOKENX"]

# Text without letters of the replacement of a secret, so that none appears by chance.
secrets = st.text(st.sampled_from("ABCXYZ0189 \"'\\/%&=:@+$\n\tßé\U0001f600"), min_size=8, max_size=40).filter(
    lambda text: text == text.strip() and len(set(text)) > 3 and not text.startswith("/")
)
noise = st.text(st.sampled_from("abc {}[]:,\n"), max_size=20)

TEXTS = ("id", "session", "agent", "type", "question", "code", "result", "reply", "error", "started")

WAYS = {
    "as it is": lambda secret: secret,
    "as JSON": lambda secret: json.dumps({"a": secret}),
    "as Python": lambda secret: repr([secret]),
    "in an address": lambda secret: f"https://example.com/?q={quote(secret, safe='')}",
    "encoded": lambda secret: base64.b64encode(secret.encode()).decode(),
}


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in (name, *texts_in(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in texts_in(inner)]
    return [str(value)]


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_no_secret_of_the_environment_survives(data: st.DataObject) -> None:
    environment = dict(data.draw(st.lists(st.tuples(st.sampled_from(NAMES), secrets), min_size=1, max_size=3)))
    values = [*environment.values()]

    def spoilt() -> str:
        parts = [data.draw(noise)]
        for secret in data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=3)):
            parts += [WAYS[data.draw(st.sampled_from(sorted(WAYS)))](secret), data.draw(noise)]
        return "".join(parts)

    metadata = {spoilt(): [spoilt(), {spoilt(): spoilt()}], "n": 1, "none": None}
    with patch.dict(os.environ, environment):
        kept = interaction(1, metadata=metadata, **{name: spoilt() for name in TEXTS}).redacted(Redactor())
    for text in texts_in(kept.model_dump()):
        for secret in values:
            for way in (lambda s: s, lambda s: json.dumps(s)[1:-1], lambda s: quote(s, safe=""), repr):
                assert way(secret) not in text


@settings(max_examples=25)
@given(secret=secrets, before=st.integers(0, 60))
def test_a_cut_leaves_no_half_of_a_secret(secret: str, before: int) -> None:
    """A secret across the cut is removed completely; its first half would not be recognized any more."""
    text = ("xx" * LONGEST_TEXT)[: LONGEST_TEXT - before] + secret + "xx" * 100
    with patch.dict(os.environ, {"MY_KEY": secret}):
        kept = Redactor().text(bounded(text))
    assert secret not in kept
    if before < len(secret):
        assert secret[: max(before, 4)] not in kept
    assert len(kept) < LONGEST_TEXT + 100


def test_secrets_are_removed_by_name_and_the_rest_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "postgresql://ann:my%20pass-word@db/log")
    monkeypatch.setenv("PIN_KEY", "12345678")
    monkeypatch.setenv("SHORT_KEY", "abc")
    monkeypatch.setenv("KEY_FILE", str(tmp_path))
    monkeypatch.setenv("PLAIN", "plain-text-here")
    redactor = Redactor()
    assert redactor.text("is it my pass-word, or my%20pass-word?") == "is it [hidden], or [hidden]?"
    plain = f"abc {tmp_path}/x plain-text-here ann@example.com"
    stays = {"token": 5, "key_figures": "all", "ok": True, "text": plain}
    given = {"api_key": "tiny", "nested": {"password": "a b c", "rows": 3}, "pin": 12345678, **stays}
    hidden = {"api_key": "[hidden]", "nested": {"password": "[hidden]", "rows": 3}, "pin": "[hidden]", **stays}
    assert redactor.value(given) == hidden
    key = "sk-abcdefABCDEF123456"
    assert key not in json.dumps(
        interaction(1, code=key, metadata={"code": [key], key: 1}).redacted(redactor).model_dump()
    )


def test_a_text_that_databases_reject_is_repaired(tmp_path: Path) -> None:
    kept = interaction(1, result="a\0b\ud800c", metadata={"a\0": "\udfff\0"}).redacted(Redactor())
    assert kept.result == "a\ufffdb\ufffdc"
    log = sink("", tmp_path)
    log.write([kept])
    assert log.find(Query()) == [kept]


# the notes of an action


def test_large_metadata_gives_way_to_its_size() -> None:
    kept = bounded_object({"small": 1, "large": ["x" * 1000] * 200, "middle": "y" * 1000})
    assert kept["small"] == 1
    assert kept["middle"] == "y" * 1000
    assert kept["large"].startswith("[left out: 20")


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_values_other_than_json_become_text() -> None:
    itself: list[Any] = [1]
    itself.append(itself)
    laughing: list[Any] = ["ha"]
    for _ in range(60):
        laughing = [laughing, laughing]
    values = {1: {2, 3}, "nan": float("nan"), "path": Path("/x"), "rude": Rude(), "huge": 10**5_000, "t": (1, "2")}
    assert plain_value(values) == {
        "1": [2, 3],
        "nan": "nan",
        "path": "/x",
        "rude": "(Rude)",
        "huge": "(int)",
        "t": [1, "2"],
    }
    for endless in (itself, laughing):
        json.dumps(plain_value(endless))
