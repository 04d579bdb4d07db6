"""Additions of installed packages: the example as a whole, and packages that are broken."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from api_support import service, turn
from cli_support import FLOW, Runner, Site, findings
from docs_support import ROOT, blocks, check_console
from plugin_support import install_example

PAGE = "docs/plugins.md"
API = "/api/v1"


def install(site: Site, group: str, entry: str, python: str = "", name: str = "acme") -> None:
    site.install(name, f"[graphwright.{group}]\n{entry}\n", {f"{name}.py": python})


def test_the_page_shows_the_example_and_its_commands_print_what_it_says(run: Runner, site: Site) -> None:
    install_example(site)
    for block in blocks(PAGE):
        if block.path:
            assert block.text == (ROOT / block.path).read_text("utf-8"), block.path
        elif block.language == "console":
            check_console(block, f"{PAGE}:{block.line}")
        elif block.language == "text":
            assert set(block.text.splitlines()) <= {line.rstrip() for line in run("doctor").out.splitlines()}
    assert re.search(r"repairs +List the booked repairs, oldest first\.", run("--help").out)


async def test_the_routes_and_the_approval_card_of_the_example(site: Site, tmp_path: Path) -> None:
    install_example(site)
    async with service(tmp_path, agents=()) as client:
        thread = (await client.post(f"{API}/threads", json={"agent": "repairs"})).json()["thread"]
        for text in ("", "red Gazelle", "flat tyre"):
            ended = await turn(client, thread, {"message": text} if text else {})
        approval = ended["waiting_for"]["approval"]
        state = (await client.get(f"{API}/threads/{thread}/state")).json()
        assert state["waiting_for"]["approval"] == approval
        assert (approval["kind"], approval["text"]) == ("other", "Repair **red Gazelle**: flat tyre")
        assert (await client.get(f"{API}/repairs")).json() == []
        await turn(client, thread, {"value": True, "approves": approval["hash"]}, "resume")
        assert (await client.get(f"{API}/repairs")).json() == [{"bike": "red Gazelle", "fault": "flat tyre"}]


async def test_the_pane_of_the_example_and_its_files(site: Site, tmp_path: Path) -> None:
    install_example(site)
    async with service(tmp_path, login=True) as client:
        sent = await client.get("/panes/repairs/pane.js")
        assert (sent.status_code, sent.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
        assert "script-src 'self'" in sent.headers["content-security-policy"]
        outside = ("", "../additions.py", "%2e%2e/additions.py", "..%2fadditions.py")
        for path in (*outside, "additions.py", "x%00.js", ".pane.js"):
            assert (await client.get(f"/panes/repairs/{path}")).status_code == 404, path
        assert (await client.get("/panes/graph/pane.js")).status_code == 404
        assert (await client.get(f"{API}/panes")).status_code == 401
    async with service(tmp_path) as client:
        listed = (await client.get(f"{API}/panes")).json()["items"]
    own = ["chat", "trace", "editor", "graph", "data", "experiments", "logs", "access"]
    assert [pane["name"] for pane in listed] == [*own, "repairs"]
    assert {pane["module"] for pane in listed} == {"", "panes/repairs/pane.js"}


async def test_a_service_lists_only_the_panes_of_installed_packages_and_of_the_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphwright.hooks import PANES, declared
    from graphwright_server.access import _keys as keys

    owners = {name: entry.distribution.partition(" ")[0] for name, entry in PANES.entries().items()}
    assert (owners["graph"], owners["experiments"]) == ("graphwright-graph", "graphwright-upgrade")
    without = {name: found for name, found in declared(PANES.group).items() if owners[name] != "graphwright-graph"}
    found = {PANES.group: without}
    monkeypatch.setattr("graphwright.hooks.declared", lambda group: found.get(group) or declared(group))
    async with service(tmp_path, login=True) as client:
        _, key = await keys.create(client.app.state.access.keys, "ann", "viewer")  # type: ignore[attr-defined]
        listed = await client.get(f"{API}/panes", headers={"Authorization": f"Bearer {key}"})
    assert [pane["name"] for pane in listed.json()["items"]] == [
        "chat",
        "trace",
        "editor",
        "data",
        "experiments",
        "logs",
    ]


BAD_PANES = [
    ("stock0", "1 / 0", "division by zero"),
    ("stock1", "found = {'title': 'Stock'}", "is not a Pane"),
    ("stock2", "found = Pane({'de': 'Lager'}, 'M0 0', FILE)", "`title` has no English title"),
    ("stock3", "found = Pane({'en': 'Stock\\u202etxt'}, 'M0 0', FILE)", "printable characters"),
    ("stock4", "found = Pane({'en': 'Stock' * 9}, 'M0 0', FILE)", "printable characters"),
    ("stock5", "found = Pane({'en': 'Stock'}, 'M0 0\"/><script>', FILE)", "`icon` is not the path data"),
    ("stock6", "found = Pane({'en': 'Stock'}, 'M0 0', FILE.with_name('gone.js'))", "is not a JavaScript file"),
    ("stock7", "found = Pane({'en': 'Stock'}, 'M0 0', Path(__file__))", "is not a JavaScript file"),
    ("stock8", "found = Pane({'en': 'Stock'}, 'M0 0', FILE, key='xx')", "`key` is not a lower-case letter"),
    ("stock9", "found = Pane({'en': 'Stock'}, 'M0 0', FILE, role='owner')", "`role` is not"),
    ("stock10", "found = Pane({'en': 'Stock'}, 'M0 0')", "it names no `module`"),
    ("..", "found = Pane({'en': 'Stock'}, 'M0 0', FILE)", "its name, which is in addresses,"),
    ("graph", "found = Pane({'en': 'Stock'}, 'M0 0', FILE)", "both have the pane 'graph'"),
]


async def test_a_bad_pane_is_named_by_the_doctor_and_left_out(run: Runner, site: Site, tmp_path: Path) -> None:
    from graphwright_server._panes import core_panes

    begin = "from pathlib import Path\nfrom graphwright.hooks import Pane\nFILE = Path(__file__).with_name('acme.js')\n"
    for number, (name, python, _) in enumerate(BAD_PANES):
        files = {f"acme{number}.py": begin + python, "acme.js": "1"}
        site.install(f"acme{number}", f"[graphwright.panes]\n{name} = acme{number}:found\n", files)
    texts = [text for level, text in findings(run, "panes") if level in ("problem", "warning")]
    for number, (_, python, why) in enumerate(BAD_PANES):
        assert [why in text for text in texts if f"acme{number} 1.0" in text] == [True], (python, texts)
    assert len(texts) == len(BAD_PANES)
    async with service(tmp_path) as client:
        items = (await client.get(f"{API}/panes")).json()["items"]
    assert ({pane["name"] for pane in items}, {pane["module"] for pane in items}) == (core_panes(), {""})


async def test_routes_of_a_package_need_a_sign_in(site: Site, tmp_path: Path) -> None:
    install_example(site)
    async with service(tmp_path, agents=(), login=True) as client:
        assert (await client.get(f"{API}/repairs")).json()["code"] == "login_required"


BROKEN = [
    ("raise RuntimeError('no licence')", "no licence"),
    ("import sys; sys.exit(3)", "3"),
    ("import nothing_like_it", "nothing_like_it"),
    ("found = 7", ":found is not "),
]


GROUPS = ("routes", "checks", "approvals", "exports", "demos", "models", "stores")


async def test_broken_packages_are_named_by_the_doctor_and_affect_nothing_else(
    run: Runner, site: Site, tmp_path: Path
) -> None:
    for number, (python, _) in enumerate(BROKEN):
        # The first approval card is that of the agent `shop`.
        entries = "".join(f"[graphwright.{group}]\nshop{number or ''} = acme{number}:found\n" for group in GROUPS)
        site.install(f"acme{number}", entries, {f"acme{number}.py": python})
    found = findings(run, "plugins", "routes")
    assert {level for level, _ in found} == {"problem"}
    assert len(found) == len(GROUPS) * len(BROKEN)
    for number, (_, why) in enumerate(BROKEN):
        told = [text for _, text in found if f"'shop{number or ''}' of acme{number} 1.0 cannot be used: " in text]
        assert len(told) == len(GROUPS)
        assert all(why in each for each in told)
    assert "--notebook" in run("threads", "export", "--help").out
    async with service(tmp_path) as client:
        thread = (await client.post(f"{API}/threads", json={"agent": "shop"})).json()["thread"]
        await turn(client, thread, {})
        waits = await turn(client, thread, {"message": "a lamp"})
        assert waits["waiting_for"]["approval"]["kind"] == "other"
        assert (await client.get(f"{API}/experiments", params={"limit": 0})).status_code == 422


def test_a_package_of_somebody_else_may_have_a_name_that_begins_like_ours(run: Runner, site: Site) -> None:
    entries = "[graphwright.checks]\ngraph = weather:found\nwind = weather:found\n"
    site.install("graphwright-weather", entries, {"weather.py": "raise RuntimeError('no licence')"})
    assert [message for level, message in findings(run, "plugins") if level == "problem"] == [
        "The check 'wind' of graphwright-weather 1.0 cannot be used: no licence."
    ]
    assert findings(run, "graph") == [("ok", "No graph yet.")]


def test_one_of_two_packages_with_one_name_is_used(run: Runner, site: Site) -> None:
    for name in ("other", "acme"):
        install(site, "checks", f"stock = {name}:look", f"def look(): yield 'ok', 'from {name}', ''\n", name)
    assert findings(run, "stock") == [("ok", "from acme")]
    assert findings(run, "plugins") == [
        ("ok", "check stock (acme 1.0)"),
        ("warning", "other 1.0 and acme 1.0 both have the check 'stock'."),
    ]


RESERVED = [
    ("routes", "threads", "from fastapi import APIRouter\nfound = APIRouter()"),
    ("checks", "interactions", "def found(): yield 'problem', 'mine', ''"),
    ("models", "embedded", "def found(model, temperature): 1 / 0"),
    ("exports", "json", "from graphwright.hooks import Export\nfound = Export('x', 'Mine.', lambda file, thread: '')"),
]


def test_names_of_graphwright_are_not_taken(run: Runner, site: Site) -> None:
    for number, (group, name, python) in enumerate(RESERVED):
        install(site, group, f"{name} = acme{number}:found", python, f"acme{number}")
    told = findings(run, "plugins", "routes")
    assert len(told) == len(RESERVED), told
    assert all(level == "warning" and text.endswith("which Graphwright has: it is not used.") for level, text in told)
    assert findings(run, "interactions") == [("ok", "No interactions yet.")]
    assert "Mine." not in run("threads", "export", "--help").out


@pytest.mark.parametrize("yields", ["'fine', 'm', ''", "'ok', 'm'", "1 / 0"])
def test_a_check_that_fails_is_a_problem(run: Runner, site: Site, yields: str) -> None:
    install(site, "checks", "stock = acme:look", f"def look(): yield {yields}\n")
    ((level, _),) = findings(run, "stock")
    assert level == "problem"


def test_an_export_of_a_package_is_an_option(run: Runner, site: Site, tmp_path: Path) -> None:
    python = """
from graphwright.hooks import Export

def write(file, thread):
    file.write_text(f"{thread.id} {thread.title} {thread.events[0]['type']}")
    return "Written:"

count = Export("txt", "As a count.", write)
"""
    install(site, "exports", "count = acme:count", python)
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    assert run("ask", tmp_path, "Ann", "--thread", "t").code == 3
    done = run("threads", "export", "t", "--count")
    assert (done.code, done.out, done.err) == (0, "t.txt\n", "Written:\n")
    assert (tmp_path / "t.txt").read_text() == "t Name: Ann turn_started"
    both = run("threads", "export", "t", "--count", "--json")
    assert (both.code, "--markdown, --json, --count or --notebook" in both.err) == (2, True)


def test_a_card_that_fails_shows_the_question(site: Site) -> None:
    from graphwright_server._approvals import described

    python = "from graphwright.hooks import ApprovalCard\ndef card(over): 1 / 0\ndef wrong(over): return {}\n"
    python += "def kind(over): return ApprovalCard('mine')\ndef text(over): return ApprovalCard(text=7)\n"
    install(site, "approvals", "shop = acme:card\nbar = acme:wrong\ncafe = acme:kind\npub = acme:text", python)
    approval: dict[str, Any] = {"hash": "h", "over": {"selected_tools": []}}
    for agent in ("shop", "bar", "cafe", "pub", "/home/ann/shop"):
        assert described(approval, [], agent) == {**approval, "kind": "other", "marks": {}, "plain": "/" in agent}


def test_marks_of_an_agent_that_clients_do_not_know_are_left_out() -> None:
    from graphwright_server._approvals import described

    over = {"supports": {"a": "quoted", "b": "default", "c": "guessed", "d": [7]}}
    assert described({"hash": "h", "over": over}, [])["marks"] == {"a": "said", "b": "default"}
