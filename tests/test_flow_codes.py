"""The catalogue of diagnostics: every example fails or passes as it says, and the page shows the catalogue."""

import re
from pathlib import Path

import pytest

from graphwright.flow import Severity, compile_text
from graphwright.flow.diagnostic_catalog import Code, catalog, page

ROOT = Path(__file__).parent.parent
ENTRIES = list(catalog().values())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_examples_of_a_code(entry):
    failing = compile_text(entry.failing, catalogue=entry.catalogue)
    mended = compile_text(entry.mended, catalogue=entry.catalogue)
    mine = [d for d in failing.diagnostics if d.code == entry.code]
    assert mine
    assert any(d.hint for d in mine)
    assert all(d.severity is entry.severity and d.message and d.message[-1] in ".?!`" for d in mine)
    assert (failing.flow is None) == bool(failing.errors)
    assert mended.flow is not None
    assert mended.diagnostics == ()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_one_fault_gives_one_diagnostic(entry):
    found = compile_text(entry.failing, catalogue=entry.catalogue).diagnostics
    assert [d.code for d in found if d.severity != Severity.INFO or d.code == entry.code] == [entry.code]


def test_the_page_is_made_from_the_catalogue():
    written = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert written == page(), "python -m graphwright.flow.diagnostic_catalog > docs/diagnostics.md"


def test_every_code_has_its_entry_and_every_severity_is_used():
    assert set(catalog()) == set(Code)
    assert all(re.fullmatch(r"GW[1-7]\d\d", code) for code in Code)
    assert {entry.severity for entry in ENTRIES} == set(Severity)
