"""Packages of extras that are not installed: each is an error that names the extra."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner
from graphwright.engine._exact_replies import number_in
from graphwright.extras import PackageMissing
from graphwright.flow import _schema_validation as schema_validation
from graphwright.flow import compile_text
from graphwright.flow._schema_validation import first_violation, is_email, is_phone
from graphwright.host import _compiling
from graphwright_graph import GraphError
from graphwright_graph import _opening as opening

FLOW = """\
version: v1
id: flow.contact
nodes:
  - {id: q.email, type: question, key: email, prompt: "Your e-mail address?", schema: {type: string, format: email}}
  - {id: q.phone, type: question, key: phone, prompt: "Your number?", validate: phone}
  - {id: q.power, type: question, key: power, prompt: "How many watts?", schema: {type: number, x-unit: W}}
  - {id: done, type: terminal, say: "{{ answers.email }}, {{ answers.phone }}, {{ answers.power }}"}
edges:
  - {from: q.email, to: q.phone}
  - {from: q.phone, to: q.power}
  - {from: q.power, to: done}
"""
HINT = "Install graphwright[formats]: pip install 'graphwright[formats]'"


@pytest.fixture
def without_formats(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Flows that were compiled before are kept, and so would be those compiled here.
    _compiling._kept.clear()
    for name in ("email_validator", "phonenumbers", "pint"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(schema_validation, "installed", lambda name: False)
    monkeypatch.setattr("graphwright.engine._exact_replies._units", _no_cache())
    yield
    _compiling._kept.clear()


def _no_cache() -> Any:
    from graphwright.engine import _exact_replies as exact_replies

    return exact_replies._units.__wrapped__


def without_distribution(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    known = importlib.metadata.distribution

    def without(name: str) -> importlib.metadata.Distribution:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "distribution", without)


def test_a_flow_names_each_place_that_needs_a_package(without_formats: None) -> None:
    compiled = compile_text(FLOW)
    assert compiled.flow is None
    assert [(d.code, d.span.line, d.hint) for d in compiled.diagnostics] == [("GW419", n, HINT) for n in (4, 5, 6)]
    assert "The format `email` needs the package email-validator" in compiled.diagnostics[0].message


def test_checking_a_value_without_the_package_says_what_to_install(without_formats: None) -> None:
    schema = {"type": "string", "format": "email"}
    checks = (
        lambda: is_email("ann@example.org"),
        lambda: is_phone("+49 30 123456"),
        lambda: number_in("2 kW", "W"),
        lambda: first_violation(schema, "ann@example.org"),
    )
    for check in checks:
        with pytest.raises(PackageMissing) as raised:
            check()
        assert (raised.value.code, raised.value.hint) == ("missing_package", HINT)
    assert number_in("2 W", "W") == 2


def test_an_agent_that_needs_a_package_says_so(without_formats: None, run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    done = run("ask", tmp_path, "hello", "--model", "none")
    assert (done.code, "GW419 The format `email`" in done.err, HINT in done.err) == (1, True, True)
    found = [f for f in run("doctor", "--json").json if f["check"] == "agents" and "intake" in f["message"]]
    assert [(f["level"], f["hint"]) for f in found] == [("warning", HINT)]
    intake = next(a for a in run("agents", "--json").json if a["name"] == "intake")
    assert (intake["ready"], HINT in intake["problem"]) == (False, True)


def test_the_graph_without_its_packages_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(opening, "installed", lambda name: name != "antlr4_cypher" and find_spec(name) is not None)
    with pytest.raises(GraphError) as raised:
        opening.open_graph(tmp_path)
    assert "graphwright[graph]" in raised.value.hint


@pytest.mark.parametrize("command", [("serv",), ("ask", "no_such_agent", "hello")])
def test_an_unknown_command_or_agent_names_the_packages_that_are_not_installed(
    run: Runner, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    assert "Not installed" not in run(*command).err
    without_distribution(monkeypatch, "graphwright-server")
    done = run(*command)
    assert (done.code, "Not installed: graphwright-server. All packages: pip install" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        (("serve", "--no-open", "--port", "0"), "uvicorn", "server"),
        (("mcp",), "fastmcp", "server"),
        (("upgrade", "serve", "--port", "0"), "starlette", "upgrade"),
    ],
)
def test_a_command_without_its_packages_names_the_extra(
    run: Runner, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], package: str, extra: str
) -> None:
    without_distribution(monkeypatch, package)
    done = run(*command)
    assert done.code == 2
    assert f"Packages of the extra `{extra}` are missing ({package}): pip install 'graphwright[{extra}]'" in done.err
