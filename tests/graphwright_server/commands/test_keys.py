"""`graphwright keys`."""

from __future__ import annotations

import json

from cli_support import Runner
from graphwright_server.access.principal import ROLES


def test_a_key_is_printed_once_listed_and_revoked(run: Runner) -> None:
    made = run("keys", "create", "--user", "ann", "--role", "admin", "--name", "laptop")
    assert made.code == 0
    key = made.out.strip()
    assert key.startswith("gwk_")
    assert key not in made.err
    (listed,) = json.loads(run("keys", "list", "--json").out)
    assert (listed["user"], listed["role"], listed["name"], listed["revoked"]) == ("ann", "admin", "laptop", "")
    assert "hash" not in listed
    assert key not in run("keys", "list").out
    assert run("keys", "revoke", listed["id"]).code == 0
    assert "revoked" in run("keys", "list").out
    shown = run("keys", "create", "--help").out
    assert all(role in shown for role in ROLES)
    for wrong in (
        ("revoke", "none"),
        ("create", "--user", "a b"),
        ("create", "--user", "a", "--role", "root"),
        ("create", "--user", "a", "--days", "9999"),
    ):
        assert run("keys", *wrong).code == 2
