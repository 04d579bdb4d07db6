"""The platform's own Python library works against the local service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from upgrade_client_lib.client import UpgradeClient as PlatformClient
from upgrade_client_lib.types.enums import MarkedDecisionPointStatus

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade_server._app import create_app
from upgrade_client_support import draft, listening

CONTEXT, SITE, TARGET = "reading-club", "open-text", "poem"
APPLIED = MarkedDecisionPointStatus.CONDITION_APPLIED


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with listening(create_app(tmp_path / "upgrade.db")) as address:
        yield address


async def running(url: str) -> Experiment:
    """A running experiment, created by our own client."""
    async with UpgradeClient(f"{url}/api") as client:
        made = await client.create(draft(context=CONTEXT, at=[(SITE, TARGET)]))
        return await client.set_state(made.id, State.ENROLLING)


async def test_the_library_assigns_and_marks_as_our_client_does(url: str) -> None:
    made = await running(url)
    for user in ("ann", "bob", "Zoe"):
        app = PlatformClient(user, url, CONTEXT)
        school = {"schoolId": user}
        first = await app.init(group={"schoolId": [user]}, working_group=school)
        assert (first.id, first.workingGroup) == (user, school)
        assert (await app.set_group_membership({"schoolId": ["south"]})).group == {"schoolId": ["south"]}
        assert (await app.set_working_group({"schoolId": "south"})).workingGroup == {"schoolId": "south"}
        assert (await app.set_alt_user_ids([f"{user}-2"])).aliases == [f"{user}-2"]
        assignment = await app.get_decision_point_assignment(SITE, TARGET)
        assert assignment is not None
        code = assignment.get_condition()
        async with UpgradeClient(f"{url}/api") as client:
            (ours,) = await client.assign(user, CONTEXT, SITE, TARGET)
        assert code == ours.condition.code
        marked = await app.mark_decision_point(code, APPLIED, SITE, TARGET)
        assert (marked.userId, marked.condition, marked.experimentId) == (user, code, made.id)
        assert [each.get_condition() for each in await app.get_all_experiment_conditions(ignore_cache=True)] == [code]
    async with UpgradeClient(f"{url}/api") as client:
        assert (await client.enrollment(made.id)).users == 3
        assert [each.users for each in await client.enrollments([made.id])] == [3]
