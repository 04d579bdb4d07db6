"""The catalogue of diagnostics, and the reference pages made from it: every example fails or passes as it says."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from graphwright.flow import Severity, compile_text
from graphwright.flow._diagnostic_catalog import Code, catalog
from graphwright.flow._document import NODES
from graphwright.testing._counterexamples import find_counterexample

ROOT = Path(__file__).parents[3]
ENTRIES = list(catalog().values())


def reference_pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("reference_pages", ROOT / "scripts" / "reference_pages.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return dict(script.pages())


PAGES = reference_pages()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_examples_of_a_code(entry):
    assure = entry.code in (Code.ASSURANCE_FAILS, Code.ASSURANCE_UNKNOWN)
    failing = compile_text(entry.failing, catalogue=entry.catalogue, read=entry.read, assure=assure)
    mended = compile_text(entry.mended, catalogue=entry.catalogue, read=entry.read, assure=assure)
    if assure:
        # Whether an assurance fails is decided by running the engine, after the compiler could not show that it holds.
        examples = [find_counterexample(failing.flow, assurance) for assurance, _ in failing.unproven]
        assert [example is not None for example in examples] == [entry.code == Code.ASSURANCE_FAILS]
        assert (mended.unproven, mended.diagnostics) == ((), ())
        return
    mine = [d for d in failing.diagnostics if d.code == entry.code]
    assert any(d.hint for d in mine)
    assert all(d.severity is entry.severity and d.message and d.message[-1] in ".?!`" for d in mine)
    assert [d.code for d in failing.diagnostics if d.severity != Severity.INFO or d in mine] == [entry.code]
    assert (failing.flow is None) == bool(failing.errors)
    assert mended.flow is not None
    assert mended.diagnostics == ()


def test_every_code_has_its_entry_and_every_severity_is_used():
    assert set(catalog()) == set(Code)
    assert all(re.fullmatch(r"GW[1-8]\d\d", code) for code in Code)
    assert {entry.severity for entry in ENTRIES} == set(Severity)


def test_every_code_has_a_german_headline_in_the_web_app():
    headlines = json.loads((ROOT / "web/src/panes/editor/diagnostics.de.json").read_text("utf-8"))
    assert list(headlines) == sorted(Code)
    assert len(set(headlines.values())) == len(headlines)
    assert [text for text in headlines.values() if not re.fullmatch(r".{10,100}\.", text)] == []


def test_the_index_of_diagnostics_links_to_every_code_under_its_group():
    index = PAGES["diagnostics/index.md"]
    assert re.findall(r"^- \[(GW\d+) .*\]\(\1\.md\)", index, re.MULTILINE) == sorted(Code)
    assert re.findall(r"^## GW(\d)xx", index, re.MULTILINE) == list("12345678")


def test_every_code_has_a_page_with_both_examples():
    pages = {name: text for name, text in PAGES.items() if name.startswith("diagnostics/GW")}
    assert set(pages) == {f"diagnostics/{code}.md" for code in Code}
    assert all(text.count("```yaml\n") == 2 for text in pages.values())


@pytest.mark.parametrize("kind", NODES)
def test_the_reference_of_a_node_kind_has_its_fields_and_an_example_that_compiles(kind):
    reference = (ROOT / "docs" / "flow-reference.md").read_text("utf-8")
    page = reference.split(f"\n### {kind}\n")[1].split("\n### ")[0].split("\n## ")[0]
    fields = {field.alias or name for name, field in NODES[kind].model_fields.items()}
    assert fields <= set(re.findall(r"^\| `(\w+)` \|", reference, re.MULTILINE))
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    compiled = compile_text(example)
    assert compiled.flow is not None
    assert {d.severity for d in compiled.diagnostics} <= {Severity.INFO}
    assert kind in {node.kind for node in compiled.flow.nodes.values()}
