"""The table of codes: every example fails or passes as it says, and the page shows the table."""

import re
from pathlib import Path

import pytest

from graphwright.flow import Severity, compile_text
from graphwright.flow.codes import CODES
from graphwright.flow.codes.page import codes_page

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.id)
def test_the_examples_of_a_code(code):
    failing = compile_text(code.failing, catalogue=code.catalogue)
    mended = compile_text(code.mended, catalogue=code.catalogue)
    mine = [d for d in failing.diagnostics if d.code == code.id]
    assert mine
    assert all(d.severity is code.severity and d.message and d.message[-1] in ".?!`" for d in mine)
    assert (failing.flow is None) == bool(failing.errors)
    assert mended.flow is not None
    assert mended.diagnostics == ()


def test_every_error_and_warning_says_what_to_do():
    for code in CODES.values():
        hints = [d.hint for d in compile_text(code.failing, catalogue=code.catalogue).diagnostics if d.code == code.id]
        assert any(hints), code.id


def test_the_page_is_made_from_the_table():
    page = ROOT / "docs" / "diagnostics.md"
    assert page.read_text(encoding="utf-8") == codes_page(), "python -m graphwright.flow.codes > docs/diagnostics.md"


def test_ids_are_well_formed_and_grouped():
    assert all(re.fullmatch(r"GW[1-7]\d\d", name) and name == code.id for name, code in CODES.items())
    assert {code.severity for code in CODES.values()} == set(Severity)
