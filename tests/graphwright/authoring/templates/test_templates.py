"""The templates: each agent has no finding, and its conversations take every edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_support import Runner
from graphwright.authoring.templates import TEMPLATES


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_new_agent_of_a_template_has_no_finding_and_its_conversations_take_every_edge(
    run: Runner, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "My agent"
    assert run("init", folder, "--template", name).code == 0
    assert run("check", "--strict", folder).code == 0
    assert not list(folder.rglob("*.py"))
    assert '\ntitle: "My agent"\n' in (folder / "flow.yaml").read_text("utf-8")
    tested = run("test", folder, "--min-coverage", "100")
    assert tested.code == 0, tested.out
    asked = run("ask", folder, "Hello", "--model", "none", "--json")
    # The empty one asks for one text, which the message is.
    assert (asked.code, asked.json["status"]) == ((0, "ended") if name == "empty" else (3, "waiting"))


def test_templates_are_listed_and_an_unknown_one_is_refused(run: Runner, tmp_path: Path) -> None:
    listed = run("init", "--list").out.splitlines()
    assert [line.split()[0] for line in listed[1:]] == list(TEMPLATES)
    refused = run("init", tmp_path / "x", "--template", "bookin")
    assert (refused.code, "Did you mean `booking`" in refused.err, (tmp_path / "x").exists()) == (2, True, False)
    assert run("init").code == 2
