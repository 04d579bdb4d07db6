"""Settings of an installation, checked against an agent's declarations before a session begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner
from graphwright import load
from graphwright.errors import UsageError
from host_support import agent

FLOW = """
nodes: [{id: q, type: question, key: what, prompt: "What is it?"}, {id: t.done, type: terminal}]
edges: [{from: q, to: t.done}]
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user's agent that declares a setting."""
    folder = agent(tmp_path / "shop", FLOW).folder
    declared = {"days": {"type": "integer", "minimum": 1, "examples": [5], "description": "how many days we work"}}
    (folder / "settings.py").write_text(f"SETTINGS = {declared!r}\n", "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(tmp_path / "graphwright.toml"))
    configured(tmp_path, "shop", "days = 5")
    return folder


def configured(folder: Path, name: str, text: str) -> Path:
    file = folder / "graphwright.toml"
    file.write_text(f"[agents.{name}]\n{text}\n", "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        (
            'days = "two"',
            'days of [agents.shop] is "two": it must be a whole number.',
            "Its meaning: how many days we work. For example: days = 5",
        ),
        ("day = 2", "The table [agents.shop] has no setting 'day'.", "Did you mean `days`?"),
        (
            "days = 0\nday = 1\nweek = 2",
            "days of [agents.shop] is 0: it must be at least 1. "
            "Also wrong: 2 more settings, listed by 'graphwright doctor'.",
            "Its meaning: how many days we work. For example: days = 5",
        ),
    ],
)
async def test_no_session_opens_with_settings_that_do_not_fit(
    shop: Path, tmp_path: Path, text: str, said: str, hint: str
) -> None:
    file = configured(tmp_path, "shop", text)
    with pytest.raises(UsageError) as raised:
        async with load(shop).session("t", home=tmp_path / "home"):
            pass
    assert (raised.value.message, raised.value.hint) == (f"{file}: {said}", hint)
    # Nothing was begun.
    assert not (tmp_path / "home").exists()
    # Valid settings are accepted, and any setting is if none is declared.
    for mended in (lambda: configured(tmp_path, "shop", "days = 3"), (shop / "settings.py").unlink):
        mended()
        async with load(shop).session("t", home=tmp_path / "home") as session:
            assert (await session.state())["status"] == "new"
        configured(tmp_path, "shop", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("read_only = 3", "read_only of [agents.assistant] is 3: it must be a list"),
        ("accelerators = 3", "accelerators of [agents.assistant] is 3: it must be a list or a set of named values"),
        ("accelerators = {a = 3}", 'accelerators of [agents.assistant] is {"a": 3}: a: it must be a list'),
        ('max_iterations = "x"', 'max_iterations of [agents.assistant] is "x": it must be a whole number'),
        ('language = "german"', 'language of [agents.assistant] is "german": it does not have the expected form'),
        ('changing = "lab"', 'changing of [agents.assistant] is "lab": it must be a list'),
    ],
)
def test_the_command_line_names_a_wrong_setting_and_its_place(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    file = configured(tmp_path, "assistant", text)
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))
    done = run("ask", "assistant", "Which trips were there?")
    assert done.code == 2
    assert f"{file}: {said}." in done.err
    assert "For example: " in done.err
    as_json = run("ask", "assistant", "Which trips were there?", "--json")
    failed: Any = as_json.json
    assert (failed["status"], failed["error"]["code"]) == ("failed", "bad_setting")
