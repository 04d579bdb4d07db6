"""Seatbelt, the confinement of macOS: its profile. Whether that holds can only be seen on a Mac."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphwright.sandbox import Sandbox, seatbelt
from graphwright.sandbox.isolation_levels import isolation_levels


def test_everything_is_denied_but_what_is_named() -> None:
    rules = seatbelt.profile(["/lib"], ["/work"]).splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    allowed = "\n".join(rules[2:])
    assert '(allow file-read* (subpath "/lib"))' in rules
    assert '(allow file-read* file-write* (subpath "/work"))' in rules
    for word in ("network", "process-fork", "process-exec", "mach-lookup", "mach-register", "ipc-posix", "iokit"):
        assert word not in allowed
    writable = [rule for rule in rules if "file-write" in rule]
    assert len(writable) == 2
    assert seatbelt.profile([], []).count("file-write") == 1


@pytest.mark.parametrize("path", ['/a "b"', "/a\\b", '/x")) (allow default) ((subpath "/'])
def test_a_path_cannot_become_a_rule(path: str) -> None:
    rules = seatbelt.profile([path], []).splitlines()
    assert len(rules) == len(seatbelt.profile(["/x"], []).splitlines())
    quoted = rules[-1].removeprefix("(allow file-read* (subpath ").removesuffix("))")
    assert quoted[0] == quoted[-1] == '"'
    inner = quoted[1:-1]
    assert inner.replace("\\\\", "").replace('\\"', "").count('"') == 0
    assert inner.replace('\\"', '"').replace("\\\\", "\\") == path


def test_a_path_with_a_line_break_is_refused() -> None:
    with pytest.raises(ValueError):
        seatbelt.profile([Path("/a\n(allow default)")], [])


@pytest.mark.skipif(sys.platform == "darwin", reason="this is macOS")
def test_elsewhere_there_is_none() -> None:
    missing = seatbelt.missing()
    assert missing is not None
    assert missing.layer == "seatbelt"
    assert seatbelt.ISOLATION not in {level.isolation for level in isolation_levels()}


@pytest.mark.skipif(sys.platform != "darwin", reason="only macOS has it")
def test_on_macos_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path))
    with Sandbox() as sandbox:
        assert sandbox.self_test() == seatbelt.ISOLATION
        assert sandbox.run("1 + 1").result.model_dump()["value"] == 2
