"""Experiments of an UpGrade server: the numbers per condition, and the advice if no server answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import served
from browser_support import Look, Open, Picture, choose_setting, eventually, fits
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft, ListDraft
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.client._simulating import simulate

USERS = 60


def draft(name: str, *conditions: tuple[str, float], **more: object) -> ExperimentDraft:
    return ExperimentDraft(
        name=name,
        context="maths-practice",
        conditions=tuple(ConditionDraft(code=code, weight=weight) for code, weight in conditions),
        decision_points=(DecisionPointDraft(site="show-problem", target="fractions-intro"),),
        **more,  # type: ignore[arg-type]
    )


async def made(home: Path) -> dict[str, str]:
    """The ids of an experiment with simulated users, and of one that has not begun, on the local service."""
    async with connect(UpgradeSettings(), home) as client:
        testers = ListDraft(kind="individual", members=("ann", "ben"), name="testers")
        running = await client.create(
            draft("Hints first", ("control", 50), ("hint-first", 30), ("worked-example", 20), exclusions=(testers,))
        )
        started = await client.set_state(running.id, State.ENROLLING)
        await simulate(client, started, USERS)
        waiting = await client.create(draft("<b>Bold</b> " + "long " * 20, ("control", 50), ("other", 50)))
        return {"running": running.id, "waiting": waiting.id}


@dataclass(frozen=True)
class Trials:
    """A service with experiments."""

    address: str
    ids: dict[str, str]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    folder: Path = tmp_path_factory.mktemp("experiments")
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("UPGRADE_API_URL", raising=False)
        ids = asyncio.run(made(folder / "home"))
        with served(folder) as (_, address):
            yield Trials(address, ids)


def test_an_experiment_shows_how_many_are_enrolled_in_each_condition(
    trials: Trials, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{trials.address}/#/experiments")
    expect(page.get_by_text("2 of 2 on the local service")).to_be_visible()
    page.get_by_role("link", name="Hints first").click()
    chart = page.get_by_role("region", name="Enrolled per condition")
    bars = chart.get_by_role("listitem")
    expect(bars).to_contain_text(["control", "hint-first", "worked-example"])
    eventually(page, lambda: sum(map(int, re.findall(r"(\d+) users?", " ".join(bars.all_inner_texts())))) == USERS)
    expect(bars.first).to_contain_text("planned 50%")
    expect(chart).to_contain_text("The split fits the weights. Chi-square test: χ² = ")
    expect(chart.locator("dd")).to_have_text([str(USERS), "0", "3"])
    expect(page.get_by_role("link", name="Hints first")).to_contain_text(f"{USERS} users")
    expect(page.get_by_role("article")).to_contain_text("show-problem/fractions-intro")
    expect(page.get_by_role("region", name="Settings")).to_contain_text("those enrolled keep their condition")
    page.get_by_text("Exclusion list (2)").click()
    expect(page.get_by_text("ann, ben")).to_be_visible()
    accessible(page)
    picture(page, "experiments")

    # An experiment that has not begun says so, and the address leads back.
    page.get_by_role("link", name="<b>Bold</b>").click()
    expect(page.get_by_text("Nobody is enrolled before it is started.")).to_be_visible()
    page.go_back()
    expect(chart.locator("dd").first).to_have_text(str(USERS))
    choose_setting(page, "Dark")
    accessible(page)
    choose_setting(page, "Deutsch")
    expect(page.get_by_role("region", name="Teilnehmer je Bedingung")).to_contain_text(f"Teilnehmer{USERS}")
    expect(page.get_by_text("Die Aufteilung passt zu den Gewichten.")).to_be_visible()
    expect(page.get_by_text("2 von 2 auf dem lokalen Dienst")).to_be_visible()
    fits(page)
    accessible(page)
    picture(page, "experiments-narrow")


def test_experiments_are_filtered_and_the_agent_is_asked_to_change_one(trials: Trials, open_page: Open) -> None:
    page = open_page(f"{trials.address}/#/experiments")
    # The one that is running is open at first.
    expect(page.get_by_role("heading", name="Hints first")).to_be_visible()
    listed = page.get_by_role("navigation", name="Experiments").get_by_role("listitem")
    page.get_by_label("State").select_option("Not started")
    expect(listed).to_have_count(1)
    page.get_by_label("State").select_option("Any state")
    page.get_by_role("searchbox", name="Search experiments").fill("hints")
    expect(listed).to_have_count(1)
    page.get_by_role("link", name="Ask the agent to change it").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Change the experiment “Hints first”: ")
    expect(page.get_by_role("radio", name="UpGrade experiments")).to_be_checked()


def test_a_deleted_experiment_is_reported(trials: Trials, open_page: Open) -> None:
    page = open_page(f"{trials.address}/#/experiments/0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b")
    page.context.forgiven.append("status of 4")  # type: ignore[attr-defined]
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Hints first").click()
    expect(page.get_by_role("region", name="Enrolled per condition")).to_be_visible()


def test_an_unreachable_server_is_reported_with_a_hint(
    tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch, picture: Picture
) -> None:
    monkeypatch.setenv("UPGRADE_API_URL", "http://127.0.0.1:9/api")
    with served(tmp_path) as (_, address):
        page = open_page(f"{address}/#/experiments")
        page.context.forgiven.append("status of 50")  # type: ignore[attr-defined]
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("127.0.0.1:9")
        expect(alert).to_contain_text("UPGRADE_API_URL")
        expect(alert.get_by_role("button", name="Try again")).to_be_visible()
        picture(page, "experiments-down")
        page.context.close()  # It may ask the service, which ends now.
