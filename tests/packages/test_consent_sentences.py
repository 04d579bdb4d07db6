"""The sentence that says how to answer a confirmation: agents that write it use the engine's, so it is shown once."""

from __future__ import annotations

import pytest

import graphwright_assistant.assistant.frames as assistant
import graphwright_graph.graph_editor.wording as graph_editor
from graphwright.engine._wording import say
from graphwright_upgrade import _wording as upgrade


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_agents_say_how_to_answer_in_the_words_of_the_engine(language: str) -> None:
    sentence = say(language, "yes_or_no")
    assert graph_editor.say(language, "confirm").endswith(f" {sentence}")
    assert assistant.say(language, "shall_i").endswith(f" {sentence}")
    upgrade.speak(language)
    assert upgrade.say("yes_or_no") == sentence


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_how_to_change_an_answer_is_said_without_how_to_agree(language: str) -> None:
    words = say(language, "change_by_name", name="people", value=8)
    assert say(language, "yes_or_no").split(",")[0] not in words
