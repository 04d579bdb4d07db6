"""Stores of other packages, which are found by the scheme of the URL in GRAPHWRIGHT_STORE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from cli_support import FLOW, Runner, Site, findings
from graphwright.store import StoreError, open_store
from graphwright.testing.store_suite import FlowSuite, OpenStore, StoreSuite

ACME = """
from contextlib import asynccontextmanager

from graphwright.store.opening import open_sqlite


@asynccontextmanager
async def open_acme(url, home, **options):
    if "down" in url:
        raise OSError("no route to host")
    async with open_sqlite("", home / url.partition("://")[2], **options) as store:
        store.label = "Acme's store"
        yield store
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("GRAPHWRIGHT_STORE", "acme://shop")
    Site(tmp_path / "site").install("acme", "[graphwright.stores]\nacme = acme:open_acme\n", {"acme.py": ACME})
    yield
    sys.modules.pop("acme", None)


class TestAcme(StoreSuite, FlowSuite):
    @pytest.fixture
    def open_store(self, acme: None, tmp_path: Path) -> OpenStore:
        return partial(open_store, tmp_path)


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    file = tmp_path / "flow.yaml"
    file.write_text(FLOW, "utf-8")
    return file


def test_the_command_line_uses_it(acme: None, run: Runner, flow: Path) -> None:
    assert run("ask", flow, "Ann", "--thread", "t").code == 3
    assert [row["thread"] for row in run("threads", "--json").json] == ["t"]
    assert (run.home / "shop" / "graphwright.db").is_file()
    assert not (run.home / "graphwright.db").exists()
    assert findings(run, "database") == [("ok", "Acme's store: reached")]
    assert ("ok", "store acme (acme 1.0)") in findings(run, "plugins")


async def refused(home: Path) -> StoreError:
    with pytest.raises(StoreError) as raised:
        async with open_store(home):
            pass
    return raised.value


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("acme://down", "cannot_open", "The store of acme 1.0 cannot be opened: OSError: no route to host"),
        ("mysql://ann:secret@host/x", "bad_store", "There is no store for the scheme 'mysql'"),
        ("/var/lib/graphwright.db", "bad_store", "GRAPHWRIGHT_STORE is not a URL"),
        ("sqlite:///var/lib/other.db", "bad_store", "the URL of GRAPHWRIGHT_STORE cannot name another"),
    ],
)
async def test_a_url_that_cannot_be_used_is_refused(
    acme: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, code: str, said: str
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_STORE", url)
    error = await refused(tmp_path)
    assert (error.code, said in error.message, "secret" in str(error)) == (code, True, False)
    if code == "bad_store" and url.startswith("mysql"):
        assert "The schemes are: acme, postgres, postgresql, sqlite." in error.hint


async def test_a_package_that_is_broken_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("GRAPHWRIGHT_STORE", "lost://shop")
    Site(tmp_path / "site").install("lost", "[graphwright.stores]\nlost = lost_package:opener\n", {})
    error = await refused(tmp_path)
    assert (error.code, "'lost' of lost 1.0" in error.message) == ("plugin", True)


async def test_the_scheme_of_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_STORE", "sqlite:")
    async with open_store(tmp_path) as store:
        assert store.label == str(tmp_path / "graphwright.db")
