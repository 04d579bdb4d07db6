"""Errors for people: none of them contains a secret, and none loses an ordinary word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright import errors
from graphwright.engine.host_interface import safe_message
from graphwright.errors import GraphwrightError, UsageError, exception_text, redact
from graphwright.models import ModelFailure
from growth_support import growth

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.s5Nd-_abcDEF"

SECRETS = [
    (f"401 for Authorization: Bearer {TOKEN} at /v1", "401 for Authorization: [hidden] at /v1"),
    ("authorization=Basic dXNlcjpwYXNz==", "authorization=[hidden]"),
    ('{"Authorization": "Bearer abc def"}', '{"Authorization": "[hidden]"}'),
    ("Authorization: Token abc", "Authorization: [hidden]"),
    ("sent Bearer abc.def-123 along", "sent Bearer [hidden] along"),
    ("OPENAI_API_KEY=abc is refused", "OPENAI_API_KEY=[hidden] is refused"),
    ("STRIPE_KEY=abc", "STRIPE_KEY=[hidden]"),
    ('{"api_key": "a b", "n": 3}', '{"api_key": "[hidden]", "n": 3}'),
    ("{'apiKey': 'ab', 'n': 3}", "{'apiKey': '[hidden]', 'n': 3}"),
    (r'"{\"api_key\": \"ab\", \"n\": 3}"', r'"{\"api_key\": \"[hidden]\", \"n\": 3}"'),
    (r'{"password": "a\"b"}', '{"password": "[hidden]"}'),
    ("GET /x?access_token=abcd&page=2", "GET /x?access_token=[hidden]&page=2"),
    ("GET /x?key=abcd&page=2", "GET /x?key=[hidden]&page=2"),
    ("password: x", "password: [hidden]"),
    ("Password: it's5! wrong", "Password: [hidden] wrong"),
    ("DB_PASS=abc", "DB_PASS=[hidden]"),
    ("client_secret = abc, more", "client_secret = [hidden], more"),
    ("aws_secret_access_key: ab/c+d", "aws_secret_access_key: [hidden]"),
    ("Server=a;Pwd=abc;Uid=x", "Server=a;Pwd=[hidden];Uid=x"),
    ("no route to postgresql://bob:pw@host:5432/db", "no route to postgresql://bob:[hidden]@host:5432/db"),
    ("postgresql://bob:p@w#1@host/db", "postgresql://bob:[hidden]@host/db"),
    ("redis://:pw@host", "redis://:[hidden]@host"),
    ("key sk-abcdefghijkl is refused", "key [hidden] is refused"),
    ("key sk-proj-ab_cd-1234 is refused", "key [hidden] is refused"),
    ("ghp_abcdefgh12345678", "[hidden]"),
    ("xoxb-1234-5678-abcd", "[hidden]"),
    (f"the token {TOKEN}", "the token [hidden]"),
    ("AKIAIOSFODNN7EXAMPLE has no rights", "[hidden] has no rights"),
    ("a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b", "a [hidden] b"),
]

ORDINARY = [
    "token limit exceeded: 5000 tokens of 4096",
    "the key 'wattage' is not declared; did you mean 'watt'?",
    "unknown key: wattage",
    "add_edge(from_key='lamp', to_key='room-12', key=name)",
    "password must not be empty",
    "password: must not be empty",
    "token: Field required",
    "authorization: denied by the server",
    "Bearer authentication failed",
    "/run/secrets/token: No such file or directory",
    "/home/ann/keys/secret.json does not exist",
    r"C:\Users\ann\password.txt",
    "PWD=/home/ann",
    "Unexpected token: } at line 3",
    "guard answers.token == 'abc' is false",
    '{"password": {"type": "string"}}',
    "http://localhost:8000/a@b and http://host:80 of ann@example.com",
    "max_tokens=500, token_count: 5, key_value_store_of_the_flow",
    "see https://example.com/sk-learn-tools and task-management-system",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
]


@pytest.mark.parametrize(("text", "shown"), SECRETS)
def test_a_secret_is_hidden_and_the_rest_stays(text: str, shown: str) -> None:
    assert redact(text) == shown
    for error in (GraphwrightError("x", text, text), UsageError("x", text, text), ModelFailure(text, text)):
        assert (error.message, error.hint, str(error)) == (shown, shown, shown)
    assert exception_text(RuntimeError(text)) == shown
    assert safe_message(RuntimeError(text)) == f"RuntimeError: {shown}"


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_sentences_stay_whole(text: str) -> None:
    assert redact(text) == text


def test_values_of_secret_variables_are_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("SOME_TOKEN", "blue-house")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path))
    assert redact(f"he said blue-house; see {tmp_path}") == f"he said [hidden]; see {tmp_path}"
    monkeypatch.setenv("SOME_TOKEN", "hidden")
    assert redact(redact("password: abc")) == "password: [hidden]"


def test_an_exception_that_cannot_say_what_it_is() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    for error, told in ((Mute(), "Mute"), (ValueError(), "ValueError"), (ValueError("a\n b"), "ValueError: a b")):
        assert safe_message(error) == told
    assert len(safe_message(ValueError("x" * 1000))) == 300


PARTS = [
    *("password", "token", "api_key", "Authorization", "Bearer ", "://", "@", ":", "=", "=>"),
    *(" ", "\n", '"', "'", "\\"),
    *("sk-", "eyJ", "ghp_", "AKIA", "KEY", "A_", "?key=", "&", ";", ",", "{", "}", "[hidden]", "hidden", "must", "b'"),
    *("abc", "12345678", "ABCDEFGHIJKLMNOP", "-----BEGIN PRIVATE KEY-----", "-----END", "é", "\ud800", "\0", "."),
]


@settings(max_examples=200)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=25).map("".join)))
def test_redacting_never_fails_and_twice_is_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize(
    "part", [*PARTS, "password=", "sk-sk_", "://a:b", "eyJ-eyJ.", "key-a", "Bearer a", 'token="\\']
)
def test_the_time_is_linear(part: str) -> None:
    assert growth(lambda size: redact((part * size)[:size]), 12_500) < 1.5


def test_the_full_text_of_an_error_is_its_message_and_its_hint() -> None:
    assert GraphwrightError("x", "The server is gone.", "Try again.").full_text == "The server is gone. Try again."
    assert GraphwrightError("x", "The server is gone.").full_text == "The server is gone."


def test_the_tree_that_is_drawn_is_the_tree_that_is() -> None:
    source = Path(errors.__file__).parent
    bases: dict[str, list[str]] = {}
    for file in source.rglob("*.py"):
        for name, of in re.findall(r"^ *class (\w+)\(([\w, ]*)\):", file.read_text("utf-8"), re.M):
            bases[name] = of.split(", ")
    ours = {"GraphwrightError"}
    while more := {name for name, of in bases.items() if not name.startswith("_") and ours & {*of}} - ours:
        ours |= more
    drawn, open_at = set(), {}
    for line in str(errors.__doc__).splitlines():
        branch, _, rest = line.rpartition("── ")
        name = rest.split()[0] if rest.split() else ""
        if branch or name == "GraphwrightError":
            depth = (len(branch) + 3) // 4
            open_at[depth] = name
            drawn.add((open_at.get(depth - 1, ""), name))
    assert drawn == {("", "GraphwrightError")} | {(of, name) for name in ours for of in bases[name] if of in ours}
