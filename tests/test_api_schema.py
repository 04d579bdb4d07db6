"""The service against its own OpenAPI document: whatever fits it, and much that does not, gives no server error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_support import served, service
from jsonschema import Draft202012Validator

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


async def test_what_is_answered_is_what_the_openapi_document_describes(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        document = (await client.get("/openapi.json")).json()

        async def held(method: str, path: str, body: Any = None, **names: str) -> Any:
            answer = await client.request(method, path.format(**names), json=body)
            told = document["paths"][path][method.lower()]["responses"][str(answer.status_code)]
            schema = {**told["content"]["application/json"]["schema"], "components": document["components"]}
            given = answer.json()
            Draft202012Validator(schema).validate(given)
            shape = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            assert set(given) <= set(shape["properties"]), path
            return given

        await held("GET", "/api/v1/agents")
        await held("GET", "/api/v1/agents/{name}", name="shop")
        thread = (await held("POST", "/api/v1/threads", {"agent": "shop"}))["thread"]
        for message in (None, "a lamp", "yes"):
            run = await held("POST", "/api/v1/threads/{id}/turns", {"message": message}, id=thread)
            await client.get(f"/api/v1/runs/{run['id']}/events")
            await held("GET", "/api/v1/runs/{id}", id=run["id"])
            await held("GET", "/api/v1/threads/{id}/state", id=thread)
        assert (await held("GET", "/api/v1/threads/{id}", id=thread))["run"]["turn"]["refused"]
        await held("GET", "/api/v1/threads/{id}/messages", id=thread)
        await held("PATCH", "/api/v1/threads/{id}", {"title": "Lamps"}, id=thread)
        await held("GET", "/api/v1/threads")
        await held("POST", "/api/v1/runs/{id}/cancel", id=run["id"])
