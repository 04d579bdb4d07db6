"""The evaluation of retrieval alone: its questions, and how ranks are counted."""

from __future__ import annotations

import yaml

from eval.retrieval.evaluation import QUESTIONS, scored


def test_there_are_forty_questions_each_with_a_page_of_its_own() -> None:
    held = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    pages = [each["page"] for group in held.values() for each in group]
    assert {group: len(questions) for group, questions in held.items()} == {"shared": 24, "none": 16}
    assert len(set(pages)) == 40


def test_ranks_are_counted() -> None:
    found = {"one": ["a", "b"], "two": ["x", "y", "z", "a"], "three": []}
    score = scored("ours", "shared", [(asked, "a") for asked in found], found.__getitem__)
    assert (score.questions, score.first, score.among) == (3, 1, 1)
    assert round(score.reciprocal, 4) == round((1 + 1 / 4) / 3, 4)
