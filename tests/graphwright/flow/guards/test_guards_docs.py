"""The page about guards is true: every example on it is compiled and run."""

import re
from pathlib import Path

import pytest
import yaml

from graphwright.flow.guards import Language, Vocabulary

PAGE = (Path(__file__).parents[4] / "docs" / "guards.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def examples(kind: str) -> list[tuple[str, str]]:
    lines = [line for block in blocks(kind) for line in block.splitlines() if line.strip()]
    parts = [line.rpartition("//") for line in lines]
    return [(text.strip(), outcome.strip()) for text, _, outcome in parts]


WORDS = yaml.safe_load(blocks("yaml vocabulary")[0])
VALUES = WORDS["values"]


@pytest.fixture(scope="module")
def language() -> Language:
    scopes = {name: f"subgraph.{name}" for name in WORDS["scopes"]}
    vocabularies = {"": Vocabulary(WORDS["answers"], scopes)}
    vocabularies |= {scopes[name]: Vocabulary(keys) for name, keys in WORDS["scopes"].items()}
    return Language(vocabularies, channels=WORDS["channels"], predicates=WORDS["predicates"])


@pytest.mark.parametrize(("text", "outcome"), examples("cel"))
def test_each_guard_of_the_page_gives_its_documented_result(language, text, outcome):
    guard = language.guard(text)
    if outcome.startswith("error "):
        assert isinstance(guard, list), "it compiles"
        assert {problem.kind for problem in guard} == {outcome.removeprefix("error ")}
        return
    assert not isinstance(guard, list), guard
    verdict = guard.evaluate(VALUES)
    if outcome == "no value":
        assert verdict.missing
    elif outcome == "failure":
        assert verdict.error
        assert not verdict.missing
    else:
        assert not verdict.error, verdict.error
        assert verdict.value is (outcome == "true")


@pytest.mark.parametrize(("text", "outcome"), examples("template"))
def test_each_template_reads_as_the_page_says(language, text, outcome):
    template = language.template(text)
    assert not isinstance(template, list), template
    assert template.render(VALUES).strip() == outcome
