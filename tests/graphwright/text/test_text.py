"""Basic operations on texts: hidden characters are removed, spellings normalized."""

from __future__ import annotations

import ast
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphwright.text.catalogue import amount_text
from graphwright.text.folding import without_hidden
from graphwright.text.python_source import syntax_tree
from graphwright.text.sentences import beginning, without_questions


@pytest.mark.parametrize(
    ("text", "seen", "misleading"),
    [
        ("plain Größe\tµ\n", "plain Größe\tµ\n", 0),
        ("one\r\ntwo\rthree\x0bfour\u2028five", "one\ntwo\nthree\nfour\nfive", 0),
        ("\x1b[31mred\x1b[0m", "red", 0),
        ("a\x00b\x07c\x9bd", "abcd", 3),
        ("\u202etxt.exe\u202c", "txt.exe", 2),
        ("ok" + "".join(chr(0xE0000 + ord(c)) for c in "obey"), "ok", 4),
        ("in\u200bvi\xadsi\u2060ble\ufeff", "invisible", 0),
        ("half \ud83d of it", "half ? of it", 0),
        ("\u0646\u0645\u06cc\u200c\u062e", "\u0646\u0645\u06cc\u200c\u062e", 0),
    ],
)
def test_only_visible_text_is_kept(text: str, seen: str, misleading: int) -> None:
    assert without_hidden(text) == (seen, misleading)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Letters weigh up to 1 kg. How heavy is it?", "Letters weigh up to 1 kg."),
        ("From 5 to 2000. How many?\nAll of them (or none).", "From 5 to 2000. All of them (or none)."),
        ("How heavy is it, e.g. 3 kg?", ""),
        ("Am besten (s. o.) der 1. Mai? Nur Werktage.", "Nur Werktage."),
        ("Sólo cartas. ¿Cuánto pesa?", "Sólo cartas."),
        ("手紙は1キロまでです。重さは？", "手紙は1キロまでです。"),
        ("Please give the power in watts.", "Please give the power in watts."),
    ],
)
def test_the_questions_of_a_text_are_left_out_as_whole_sentences(text: str, left: str) -> None:
    assert without_questions(text) == left


def test_python_is_parsed_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = 0, 0

    def parse(source: str, name: str) -> ast.Module:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return ast.Module([], [])

    monkeypatch.setattr(ast, "parse", parse)
    with ThreadPoolExecutor(4) as threads:
        assert len(list(threads.map(syntax_tree, ["x"] * 8))) == 8
    assert most == 1


def test_a_long_text_ends_with_an_ellipsis_within_its_length() -> None:
    assert [beginning(text, 8) for text in ("", "12345678", "123456 89")] == ["", "12345678", "123456…"]


@pytest.mark.parametrize(
    ("value", "unit", "language", "text"),
    [
        (1500.0, "W", "en", "1,500 W"),
        (1500, "W", "de", "1.500 W"),
        (1500.5, "W", "de", "1.500,5 W"),
        (25.0, "", "en", "25"),
        (1e300, "", "en", "1e+300"),
    ],
)
def test_a_whole_number_has_no_decimal_point(value: float, unit: str, language: str, text: str) -> None:
    assert amount_text(value, unit, language) == text
