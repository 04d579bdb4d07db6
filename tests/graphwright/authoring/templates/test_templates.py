"""The templates: each agent has no finding, and its conversations take every edge."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cli_support import Runner
from graphwright.authoring.templates import TEMPLATES, Language, template_files


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_new_agent_of_a_template_has_no_finding_and_its_conversations_take_every_edge(
    run: Runner, tmp_path: Path, name: str, language: Language
) -> None:
    folder = tmp_path / "My agent"
    if language == "en":
        assert run("init", folder, "--template", name).code == 0
    for path, text in template_files(name, "My agent", "", language).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    assert run("check", "--strict", folder).code == 0
    assert not list(folder.rglob("*.py"))
    assert '\ntitle: "My agent"\n' in (folder / "flow.yaml").read_text("utf-8")
    if name != "empty":  # It has none: they would fail with the first change.
        tested = run("test", folder, "--min-coverage", "100")
        assert tested.code == 0, tested.out
    # A greeting is not taken as an answer.
    asked = run("ask", folder, "Hello", "--model", "none", "--json")
    assert (asked.code, asked.json["status"]) == (3, "waiting")


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_german_template_differs_from_the_english_one_in_its_texts_only(name: str) -> None:
    flows = [yaml.safe_load(template_files(name, "x", "", language)["flow.yaml"]) for language in ("en", "de")]
    english, german = ({(node["id"], node["type"], node.get("key")) for node in flow["nodes"]} for flow in flows)
    assert english == german
    steps = ([(each["from"], each["to"], each.get("guard")) for each in flow["edges"]] for flow in flows)
    assert len({str(each) for each in steps}) == 1
    assert [flow.get("language") for flow in flows] == [None, "spoken"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_german_template_names_its_answers_in_german(name: str) -> None:
    text = template_files(name, "x", "", "de")["flow.yaml"]
    flow = yaml.safe_load(text)
    nodes = [*flow["nodes"], *(node for each in flow.get("subgraphs", {}).values() for node in each["nodes"])]
    asked = [node for node in nodes if node["type"] == "question" and node.get("read") != "confirm"]
    assert asked
    assert [node["id"] for node in asked if not node.get("schema", {}).get("title")] == []


def test_templates_are_listed_and_an_unknown_one_is_refused(run: Runner, tmp_path: Path) -> None:
    listed = run("init", "--list").out.splitlines()
    assert [line.split()[0] for line in listed[1:]] == list(TEMPLATES)
    refused = run("init", tmp_path / "x", "--template", "bookin")
    assert (refused.code, "Did you mean `booking`" in refused.err, (tmp_path / "x").exists()) == (2, True, False)
    assert run("init").code == 2
