"""Which messages need no tool: on what was said in the conversation, and on what is in the files."""

from __future__ import annotations

from typing import Any

import pytest

from graphwright.agents.assistant.smalltalk import kind_of

SAID_HERE = [
    "What did I ask first?",
    "Can you repeat that?",
    "Please repeat your last answer",
    "Say that again",
    "Could you explain that in simpler words?",
    "translate it into German please",
    "What did you just say about the septum?",
    "What did you say about the septum?",
    "Did you mention a voltage?",
    "What did I ask you yesterday?",
    "What was my first question today?",
    "What was the last question?",
    "What was your previous answer?",
    "Repeat what you said about the klystron",
    "What were we talking about?",
    "What did we discuss in this chat?",
    "Did I ask you about the logbook?",
    "Summarise this conversation",
    "Was habe ich als Erstes gefragt?",
    "Was habe ich dich zum Klystron gefragt?",
    "Was hast du eben über das Septum gesagt?",
    "Was hast du gerade geschrieben?",
    "Kannst du das wiederholen?",
    "Kannst du das bitte noch einmal kürzer sagen?",
    "Wiederhole das bitte",
    "Was war meine letzte Frage?",
    "Worüber haben wir gesprochen?",
    "Wie bitte?",
]
WRITTEN_ELSEWHERE = [
    "Have I written an entry about the klystron yesterday?",
    "Did we write down why top-up was paused?",
    "Did you mention in the logbook who fixed the pump?",
    "What was the first message in the logbook today?",
    "What was the first message today?",
    "What was the last message about the klystron?",
    "Have we written why the beam was dumped?",
    "Did I mention the klystron in the handover?",
    "Did we discuss the vacuum leak last week?",
    "Did we say in the ELOG who is on shift?",
    "Have I asked for access to the linac tunnel?",
    "What was the first response of the septum to the trip?",
    "My first question: which klystron tripped?",
    "Can you repeat that measurement with the new optics?",
    "Explain this beam loss in sector 7",
    "Did we record the tune before the shutdown?",
    "Haben wir aufgeschrieben, warum Top-up pausiert war?",
    "Haben wir schon geschrieben, warum Top-up pausiert war?",
    "Habe ich gestern einen Eintrag zum Klystron geschrieben?",
    "Hast du im Logbuch erwähnt, wer die Pumpe repariert hat?",
    "Was war die erste Nachricht im Logbuch heute?",
    "Haben wir gestern über das Vakuum gesprochen?",
    "Was haben sie gestern über das Septum gesagt?",
    "Meine zweite Frage: Welches Klystron ist ausgefallen?",
]


@pytest.mark.parametrize("text", SAID_HERE)
def test_what_was_said_in_the_conversation_needs_no_tool(text: str) -> None:
    assert kind_of(text, files=[], given_now=[]) == "conversation"


@pytest.mark.parametrize("text", WRITTEN_ELSEWHERE)
def test_what_was_written_down_is_looked_up(text: str) -> None:
    assert kind_of(text, files=[], given_now=[]) is None


FILE: Any = {
    "name": "septum-manual.pdf",
    "type": "document",
    "parts": [{"text": "The septum voltage is 12 kV. The pulser limits the current on 5 November."}],
}


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("What does this plot show?", True),
        ("What is the kicker voltage?", True),
        ("Summarise the document", False),
        ("Fasse das Dokument zusammen", False),
        ("What was the current on 5 November in this table?", True),
        ("Was zeigt die Abbildung für gestern?", True),
        ("Which files do I have?", False),
        ("Welche Dateien habe ich hochgeladen?", False),
        ("What does septum-manual.pdf say, and what is its conclusion?", False),
        ("What does the manual file say? And what limits it?", False),
        ("What is the septum voltage, and what limits the current?", False),
        ("What shifts are in the attached table?", True),
        ("Which figure shows the tune?", True),
        ("Is there a procedure for the septum in this file?", False),
        ("Which document did I upload?", False),
        ("Summarise the document. What is the conclusion?", True),
    ],
)
def test_what_is_asked_of_a_file_is_answered_from_it(text: str, now: bool) -> None:
    assert kind_of(text, files=[FILE], given_now=[FILE["name"]] if now else []) == "files"


@pytest.mark.parametrize("now", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "Which paper describes the orbit feedback?",
        "Welches Handbuch beschreibt das Feedback?",
        "Is there another document on the septum voltage?",
        "Which beam dumps were there last week, and does this plot show one?",
        "Does this plot show a beam dump, and which ones were there last week?",
        "What does this file say? What happened yesterday?",
        "Was steht in der Datei und welche Störungen gab es gestern?",
        "What does the document say, and what does the documentation say?",
        "Search the logbook for what this plot shows",
        "Which klystron trips were there on Monday?",
        "What does this plot show? Which undulators are installed in the ring?",
    ],
)
def test_what_no_file_holds_is_looked_up_beside_it(text: str, now: bool) -> None:
    assert kind_of(text, files=[FILE], given_now=[FILE["name"]] if now else []) is None
