"""New agents from templates over HTTP: served at once, and by the next service on the same data."""

from __future__ import annotations

from pathlib import Path

import pytest

from api_support import begun, service, turn


async def test_a_new_agent_talks_at_once_and_is_served_again_after_a_restart(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        listed = (await client.get("/api/v1/templates")).json()["items"]
        assert {"booking", "collect", "empty"} <= {each["name"] for each in listed}
        assert all(each["picture"].startswith("<svg") for each in listed)
        made = await client.post("/api/v1/agents", json={"name": "front_desk", "template": "booking"})
        assert (made.status_code, made.json()["title"], made.json()["flow_id"]) == (
            201,
            "Front desk",
            "flow.front_desk",
        )
        thread = await begun(client, "front_desk")
        assert (await turn(client, thread, {"message": "hall"}))["waiting_for"]["node"] == "q.people"
        draft = await client.get("/api/v1/flows/front_desk/draft")
        assert "id: flow.front_desk" in draft.json()["text"]
        again = await client.post("/api/v1/agents", json={"name": "front_desk", "template": "empty"})
        assert (again.status_code, again.json()["code"]) == (409, "agent_exists")
    async with service(tmp_path) as client:
        assert (await client.get("/api/v1/agents/front_desk")).status_code == 200


async def test_a_new_agent_has_the_title_that_was_written_and_texts_in_the_language(tmp_path: Path) -> None:
    given = {"name": "fuehrung", "template": "booking", "title": "Führung buchen", "language": "de"}
    async with service(tmp_path) as client:
        made = (await client.post("/api/v1/agents", json=given)).json()
        assert made["title"] == "Führung buchen"
        thread = await begun(client, "fuehrung")
        assert (await turn(client, thread, {"message": "Hallo"}))["reply"].endswith("Welchen Raum möchten Sie?")


@pytest.mark.parametrize(
    ("name", "template", "code"),
    [
        ("../evil", "empty", "bad_name"),
        (".hidden", "empty", "bad_name"),
        ("Ünï", "empty", "bad_name"),
        ("desk", "../booking", "no_template"),
        ("intake", "empty", "agent_exists"),
        ("shop", "empty", "agent_exists"),
    ],
)
async def test_names_and_templates_that_cannot_be_used_are_refused(
    tmp_path: Path, name: str, template: str, code: str
) -> None:
    async with service(tmp_path) as client:
        refused = await client.post("/api/v1/agents", json={"name": name, "template": template})
        assert (refused.status_code in (400, 409, 422), refused.json()["code"]) == (True, code)
    assert not list(tmp_path.glob("home/agents/*"))
