"""The service against its own OpenAPI document: whatever fits it, and much that does not, gives no server error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from api_support import served

_OPTIONS = [
    # What comes from the UpGrade server, and what would delete the thread that the others are tried on, is left out.
    *("--exclude-path-regex", "/experiments", "--exclude-method", "DELETE"),
    *("--checks", "not_a_server_error,content_type_conformance", "--phases", "coverage,fuzzing"),
    *("--max-examples", "20", "--seed", "1", "--request-timeout", "20", "--no-color"),
]


@pytest.mark.slow
def test_no_request_makes_a_server_error(tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text('[parameters]\n"path.id" = "t1"\n"path.agent" = "shop"\n', "utf-8")
    with served(tmp_path) as (_, address):
        assert httpx.post(f"{address}/api/v1/threads", json={"agent": "shop", "thread": "t1"}).status_code == 201
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json", *_OPTIONS]
        tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert tried.returncode == 0, tried.stdout + tried.stderr
