"""The types of the web app against the OpenAPI document of the service."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import web_types

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (Path(sys.executable).parent / "node").exists(), reason="the web app was not built here"),
]


def test_the_types_of_the_web_app_are_those_of_the_service() -> None:
    assert web_types.main(["--check"]) == 0


def test_types_that_are_out_of_date_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(web_types, "ROOT", tmp_path)
    monkeypatch.setattr(web_types, "FILE", tmp_path / "schema.d.ts")
    web_types.FILE.write_text("export interface paths {}")
    assert web_types.main(["--check"]) == 1
    assert "Run `make web-types`." in capsys.readouterr().err
