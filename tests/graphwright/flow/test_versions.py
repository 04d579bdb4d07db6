"""Versions of the flow document: stored samples of each, the migration of files, damaged and newer documents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cli_support import Runner
from graphwright.flow import compile_text
from graphwright.flow._document import VERSION
from graphwright.flow._python_expressions import to_cel
from graphwright.flow._source import read_plain
from graphwright.flow._text_edits import edited
from graphwright.flow._versions import CHAIN, migrate_text

SAMPLES = Path(__file__).parents[2] / "data" / "versions"
OLD = sorted(SAMPLES.glob("*.v0.*"))


def test_every_version_has_samples_and_the_chain_leads_from_each_to_the_newest() -> None:
    found = {file.name.split(".")[1] for file in SAMPLES.iterdir()}
    assert found == {*(each.source for each in CHAIN), VERSION}
    assert [each.target for each in CHAIN] == [*(each.source for each in CHAIN[1:]), VERSION]


@pytest.mark.parametrize("file", OLD, ids=lambda file: file.name)
def test_a_sample_of_an_old_version_becomes_the_stored_document_of_the_newest(file: Path) -> None:
    migration = migrate_text(file.read_bytes())
    new = file.with_name(file.name.replace(".v0.", f".{VERSION}."))
    assert migration.text == new.read_text("utf-8")
    assert (migration.before, migration.steps, migration.diagnostics) == ("v0", (VERSION,), ())
    assert compile_text(new.read_bytes()).errors == ()
    again = migrate_text(new.read_bytes())
    assert (again.text, again.before, again.steps) == (migration.text, VERSION, ())


def test_a_dry_run_shows_the_difference_and_write_replaces_the_file(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "sales.yaml"
    before = (SAMPLES / "sales.v0.yaml").read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + before)
    file.chmod(0o640)
    dry = run("migrate", file)
    assert (dry.code, file.read_bytes()[3:]) == (0, before)
    assert "-version: v0" in dry.out.splitlines()
    assert "+version: v1" in dry.out.splitlines()
    assert f"{file}:17:5: Version 0 allows a question without a key; `key: email` was added." in dry.err
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    done = run("migrate", link, "--write", "--json")
    assert (done.code, done.json["written"], done.json["to"]) == (0, True, "v1")
    after = (SAMPLES / "sales.v1.yaml").read_bytes().replace(b"\n", b"\r\n")
    assert file.read_bytes() == b"\xef\xbb\xbf" + after
    assert (link.is_symlink(), file.stat().st_mode & 0o777) == (True, 0o640)
    assert sorted(os.listdir(tmp_path)) == ["link.yaml", "sales.yaml"]
    assert "has version v1 already" in run("migrate", file, "--write").err


DAMAGED = {
    "cut off": ("id: q.email, type: question", "id: q.email, type: que", "GW123"),
    "an edge to a node that does not exist": ("to: n.done, guard: else", "to: n.dne, guard: else", "GW202"),
    "a condition that is not a condition": ("== 'buy_led' and not", "is lambda: and", "GW301"),
    "another type": ("id: flow.sales", "id: [1]", "GW122"),
    "a field twice": ("id: flow.sales", "id: flow.sales\nid: x", "GW105"),
    "a newer version": ("version: v0", "version: v12", "GW124"),
    "not a version": ("version: v0", "version: 0", "GW124"),
    "without a version": ("version: v0", "title: x", "GW121"),
    "YAML bomb": ("id: flow.sales", "a: &a [x,x]\nid: flow.sales\nb: *b", "GW106"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_refused_with_a_diagnostic_and_stays(run: Runner, tmp_path: Path, damage: str) -> None:
    old, new, code = DAMAGED[damage]
    text = (SAMPLES / "sales.v0.yaml").read_text("utf-8")
    assert old in text
    file = tmp_path / "flow.yaml"
    file.write_text(text.replace(old, new, 1), "utf-8")
    before = file.read_bytes()
    done = run("migrate", file, "--write", "--json")
    assert (done.code, file.read_bytes()) == (1, before)
    assert code in {each["code"] for each in done.json["diagnostics"]}
    assert run("migrate", file, "--write").code == 1
    assert file.read_bytes() == before


def test_a_newer_document_is_refused_with_the_version_that_is_needed(run: Runner) -> None:
    newer = "version: v3\nid: flow.x\nnodes: {}\n"
    for command in ("check", "migrate"):
        done = run(command, "-", stdin=newer)
        assert done.code == 1
        text = done.out + done.err
        assert "has version `v3` of the language; this program reads versions up to `v1`." in text
        assert "Install a Graphwright that reads `v3`, or write the document in version `v1`." in text
        assert text.count("error GW") == 1
    old = run("check", "-", stdin="version: v0\nid: flow.x\n")
    assert "Upgrade it with 'graphwright migrate FILE --write'." in old.out


def test_an_alias_follows_its_anchor_and_is_refused_if_only_one_of_them_changes() -> None:
    nodes = "[{id: a, type: terminal, prompt: Hi, ui: &u {k: 1}}, {id: b, type: terminal, ui: *u}]"
    text = f"version: v0\nid: f\nnodes: &n {nodes}\nedges: []\nsubgraphs: {{s: {{nodes: *n, edges: []}}}}\n"
    migrated = migrate_text(text).text or ""
    assert migrated == text.replace("v0", "v1").replace("prompt:", "say:")
    when = "version: v0\nid: f\nnodes:\n  - {id: a, type: question, key: a, prompt: A, when: &w 'not answers.b'}\n"
    when += "  - {id: b, type: question, key: b, prompt: B, when: *w}\nedges: []\n"
    assert "when: &w '!has(answers.b)'}\n  - {id: b, type: question, key: b, prompt: B, when: *w}" in (
        migrate_text(when).text or ""
    )
    refused = migrate_text(text.replace("prompt: Hi", "weight: 2"))
    assert (refused.text, [each.code for each in refused.diagnostics]) == (None, ["GW106"])


@pytest.mark.parametrize(
    ("python", "cel"),
    [
        ("answers.a == 'x'", "answers.a == 'x'"),
        ("answers.a and not answers['b']", "has(answers.a) && !has(answers.b)"),
        ("(answers.a == 1 or answers.b != None) and True", "(answers.a == 1 || has(answers.b)) && true"),
        ("1 < answers.n <= 3", "(1 < answers.n && answers.n <= 3)"),
        ("answers.a not in {'x', \"it's\"}", "!(answers.a in ['x', \"it's\"])"),
        ("lambda v: len(v) > 3 and v.startswith('a')", "size(value) > 3 && value.startsWith('a')"),
        ("has(answers.a) && answers.b == 2", "has(answers.a) && answers.b == 2"),
        ("re.match('x', value)", None),
        ("answers.a in answers.b", None),
        ("lambda a, b: a", None),
        ("__import__('os').system('x')", None),
        ("(" * 5000, None),
        ("nothing at all", None),
    ],
)
def test_a_condition_in_python_becomes_cel_or_is_refused(python: str, cel: str | None) -> None:
    assert to_cel(python) == cel


def test_comments_inside_braces_stay() -> None:
    node = "{id: a, team: x,  # one\n    type: terminal,  # two\n    squad: y}"
    text = f"version: v0\nid: f\nnodes: [{node}]\nedges: []\n"
    made = migrate_text(text).text or ""
    assert "# one" in made
    assert "# two" in made
    assert compile_text(made).errors == ()


_NAMES = st.sampled_from(["a", "b", "c", "to", "is", "no", "x y", "é"])
_SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "yes", "1", "a: b", "# x", "two\nlines"])
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4), max_leaves=12
)
_DOCUMENTS = st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=5)


@given(old=_DOCUMENTS, new=_DOCUMENTS, style=st.sampled_from([False, None, True, "json"]))
def test_an_edited_text_has_the_new_data_and_the_old_comments(old: Any, new: Any, style: Any) -> None:
    new["kept"] = old["kept"] = 1
    if style == "json":
        text = json.dumps(old, indent=2)
    else:
        text = "# first\n" + yaml.safe_dump(old, default_flow_style=style, allow_unicode=True, sort_keys=False)
        text += "# last\n" if style is not True else ""
    source, problems = read_plain(text)
    assert source is not None
    assert not problems
    made = edited(source, new)
    assert read_plain(made)[0].data == new  # type: ignore[union-attr]
    assert [line for line in made.splitlines() if line.startswith("#")] == [
        line for line in text.splitlines() if line.startswith("#")
    ]
