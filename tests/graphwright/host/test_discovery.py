"""Agents of installed packages: found by name, loaded as part of their package, isolated from each other's errors."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cli_support import Runner, Site, program
from graphwright import UsageError, load
from graphwright.errors import GraphwrightError
from graphwright.host._definition import AgentError, wrong_settings
from graphwright.host.agent import FlowInvalid
from graphwright.host.discovery import built_in
from graphwright.testing._conversation import read_conversation
from host_support import scripted

FLOW = """\
version: v1
id: flow.support
title: Support
nodes:
  - {id: q.what, type: question, key: what, prompt: What is it?, read: verbatim}
  - {id: file, type: action, run: file_ticket}
  - {id: end, type: terminal, say: "Filed: {{ answers.what }}."}
edges:
  - {from: q.what, to: file}
  - {from: file, to: end}
"""

NODES = """\
from graphwright import action

from ..tickets import number


@action(reads=["answers.what"])
def file_ticket(state, ctx):
    ctx.say(f"Ticket {number()}.")
"""


ACME = {
    "acme/__init__.py": "",
    "acme/tickets.py": "def number():\n    return 7\n",
    "acme/support/__init__.py": "",
    "acme/support/flow.yaml": FLOW,
    "acme/support/nodes.py": NODES,
}


async def test_it_is_found_by_its_name_and_runs_as_part_of_its_package(site: Site, tmp_path: Path) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    agent = load("helpdesk")
    assert (agent.name, agent.title, agent.package) == ("helpdesk", "Support", "acme-agents 1.0")
    assert agent.folder == site.folder / "acme/support"
    async with agent.session("t", model=scripted(), home=tmp_path / "home") as session:
        turn = await session.send("The door")
    assert turn.reply == "Ticket 7.\n\nFiled: The door."
    assert sys.modules["acme.support.nodes"].__package__ == "acme.support"


def test_checking_and_drawing_import_nothing_either(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", {**ACME, "acme/__init__.py": "raise SystemExit('imported')"})
    run = Runner(capsys, monkeypatch, tmp_path / "home")
    assert run("check", "helpdesk").code == 0
    assert run("draw", "helpdesk").out.startswith("flowchart TD")


def test_a_module_names_the_agent_of_its_folder(site: Site) -> None:
    files = {
        "lone/__init__.py": "",
        "lone/agent.py": "raise RuntimeError('not to be imported')",
        "lone/flow.yaml": FLOW,
        "lone/nodes.py": NODES.replace("from ..tickets import number", "from .numbers import number"),
        "lone/numbers.py": "def number():\n    return 1\n",
    }
    site.agents("lone", "lone = lone.agent", files)
    agent = load("lone")
    assert agent.folder == site.folder / "lone"
    assert sorted(agent.actions) == ["file_ticket"]


@pytest.mark.slow
def test_threads_remember_the_name_not_the_place(site: Site, tmp_path: Path) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    home = tmp_path / "home"
    path = {"PYTHONPATH": str(site.folder)}
    begun = program("ask", "helpdesk", "Hello", "--thread", "t", home=home, **path)
    assert (begun.code, begun.out) == (0, "Ticket 7.\n\nFiled: Hello.\n")
    (row,) = program("threads", "--json", home=home).json
    assert row["agent"] == "helpdesk"
    gone = program("resume", "t", "--approve", home=home)
    assert gone.code == 2
    assert "The agent 'helpdesk' of thread 't' is not installed. Install its package again." in gone.err


def test_a_built_in_name_wins(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site.agents("acme-agents", "intake = acme.support", ACME)
    assert load("intake").flow.id == "flow.intake"
    cards = Runner(capsys, monkeypatch, tmp_path / "home")("agents", "--json").json
    assert [card["package"] for card in cards if card["name"] == "intake"] == [""]


def test_a_name_wins_over_a_folder_and_a_path_is_a_path(site: Site, tmp_path: Path) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    (tmp_path / "helpdesk").mkdir()
    (tmp_path / "helpdesk/flow.yaml").write_text(FLOW.replace("flow.support", "flow.mine"), "utf-8")
    (tmp_path / "helpdesk/nodes.py").write_text(NODES.replace("from ..tickets import number", "number = int"), "utf-8")
    assert load("helpdesk").flow.id == "flow.support"
    assert load("./helpdesk").flow.id == "flow.mine"
    assert load(Path("helpdesk")).flow.id == "flow.mine"


def test_two_packages_with_one_name_are_an_error(site: Site) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    site.agents("other-agents", "helpdesk = other.support", {"other/__init__.py": "", "other/support/flow.yaml": FLOW})
    with pytest.raises(UsageError, match=r"acme-agents 1\.0 and other-agents 1\.0") as raised:
        load("helpdesk")
    assert raised.value.code == "agent_conflict"


@pytest.mark.parametrize(
    ("entry", "files", "says"),
    [
        ("acme.nothing", {}, "no folder for 'acme.nothing'"),
        ("nothing.at.all", {}, "no package 'nothing'"),
        ("acme.support:agent", {}, "is no Python package"),
        ("acme/support", {}, "is no Python package"),
        ("..", {}, "is no Python package"),
        ("acme", {}, "has no flow.yaml"),
    ],
)
def test_an_entry_that_leads_nowhere_says_why(site: Site, entry: str, files: Mapping[str, str], says: str) -> None:
    site.agents("acme-agents", f"helpdesk = {entry}", {**ACME, **files})
    with pytest.raises(GraphwrightError, match=says) as raised:
        load("helpdesk")
    assert raised.value.code == "agent_package"
    assert "acme-agents 1.0" in raised.value.message


def test_a_broken_agent_package_is_an_error(site: Site) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", {**ACME, "acme/tickets.py": "import nothing_like_it"})
    with pytest.raises(AgentError, match="nothing_like_it"):
        load("helpdesk")
    (site.folder / "acme/support/flow.yaml").write_text("version: v1\n", "utf-8")
    with pytest.raises(FlowInvalid):
        load("helpdesk")


def test_a_broken_package_breaks_no_other_agent(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site.agents("acme-agents", "helpdesk = acme.support\ngone = acme.gone", ACME)
    site.agents("other-agents", "loud = other", {"other/__init__.py": "raise SystemExit(3)", "other/flow.yaml": FLOW})
    (site.folder / "other/nodes.py").write_text(NODES, "utf-8")
    mangled = site.folder / "mangled-1.0.dist-info"
    mangled.mkdir()
    (mangled / "entry_points.txt").write_bytes(b"[graphwright.agents\n\xff= ==\n")
    done = Runner(capsys, monkeypatch, tmp_path / "home")("agents", "--json")
    assert done.code == 0
    cards = {card["name"]: card for card in done.json}
    assert cards["helpdesk"]["ready"]
    assert cards["helpdesk"]["actions"] == ["file_ticket"]
    assert "no folder" in cards["gone"]["problem"]
    assert "SystemExit" in cards["loud"]["problem"]


def test_a_misspelt_name_suggests_the_nearest_one(site: Site) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    with pytest.raises(UsageError) as raised:
        load("helpdisk")
    assert "Did you mean 'helpdesk'?" in raised.value.hint


SETTINGS = """\
SETTINGS = {"queue": {"enum": ["it", "post"]}, "tickets": {"type": "integer", "minimum": 1, "default": 9}}
"""


@pytest.mark.slow
def test_doctor_names_invalid_settings(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runner(capsys, monkeypatch, tmp_path / "home")

    def problems() -> list[tuple[str, str]]:
        return [(f["message"], f["hint"]) for f in run("doctor", "--json").json if f["level"] == "problem"]

    site.agents("acme-agents", "helpdesk = acme.support", ACME)
    file = tmp_path / "graphwright.toml"
    file.write_text("[agents.helpdesk]\nqueue = 'mail'\ntickets = 0\nother = 1", "utf-8")
    # The requirements of an agent without declarations are unknown.
    assert problems() == []
    site.agents("acme-agents", "helpdesk = acme.support", {**ACME, "acme/support/settings.py": SETTINGS})
    assert problems() == [
        (
            f'{file}: queue of [agents.helpdesk] is "mail": it must be one of it, post.',
            "Correct it, or leave it out.",
        ),
        (
            f"{file}: tickets of [agents.helpdesk] is 0: it must be at least 1.",
            "Correct it, or leave it out. For example: tickets = 9",
        ),
        (f"{file}: The table [agents.helpdesk] has no setting 'other'.", "It has queue, tickets."),
    ]
    file.write_text("[agents.helpdesk]\nqueue = 'it'\ntickets = 3", "utf-8")
    assert problems() == []


def test_a_setting_with_an_invalid_schema_is_an_error(site: Site) -> None:
    settings = "SETTINGS = {'queue': {'type': 'words'}}"
    site.agents("acme-agents", "helpdesk = acme.support", {**ACME, "acme/support/settings.py": settings})
    known = load("helpdesk").known_settings
    assert known is not None
    (wrong,) = wrong_settings("helpdesk", known, {"queue": "it"})
    assert (wrong.code, "no usable JSON Schema" in wrong.message) == ("bad_schema", True)


@pytest.mark.parametrize("settings", ["SETTINGS = ['queue']", "SETTINGS = {'queue': str}"])
def test_an_invalid_declaration_of_settings_is_an_error(site: Site, settings: str) -> None:
    site.agents("acme-agents", "helpdesk = acme.support", {**ACME, "acme/support/settings.py": settings})
    with pytest.raises(AgentError, match="`SETTINGS` must map the name of each setting to its JSON Schema") as raised:
        load("helpdesk")
    assert str(site.folder / "acme/support/settings.py") in raised.value.message


def test_the_conversations_of_the_agents_that_come_along_run_wherever_they_are_installed() -> None:
    each = {name: list(load(name).file.parent.rglob("*.conversation.yaml")) for name in built_in()}
    assert [name for name, files in each.items() if not files] == []
    found = [file for files in each.values() for file in files]
    named = {file.name: read_conversation(file).conversation.agent for file in found}
    assert {name: agent for name, agent in named.items() if agent not in ("..", *built_in())} == {}
