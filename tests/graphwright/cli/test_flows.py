"""`graphwright check` and `draw`: diagnostics like a compiler's, formats, exit codes, bad input."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from cli_support import FLOW, Runner, program


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text(FLOW, "utf-8")
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.yaml"
    file.write_text(
        FLOW.replace("answers.sure == true", "answers.shure == true").replace("to: t.no", "to: t.on"), "utf-8"
    )
    return file


def test_errors_show_place_source_caret_and_hint(run: Runner, bad: Path) -> None:
    done = run("check", bad)
    assert done.code == 1
    lines = done.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{bad}:12:") and ": error GW" in line)
    assert "t.on" in lines[at]
    quoted, caret = lines[at + 1], lines[at + 2]
    assert quoted[caret.index("^") :].startswith("t.on")
    assert caret.count("^") == len("t.on")
    assert "Did you mean `t.no`?" in done.out
    assert lines[-1] == "2 errors."


@pytest.mark.parametrize(
    ("guard", "at"),
    [
        ("\"answers.name == '🙂🙂' || answers.x == 1\"", "x == 1"),
        ("'answers.name == \"🙂\\U0001F642\" || answers.x == 1'", "x == 1"),
        ("\"answers.name == '\\U0001F642' || answers.x == 1\"", "x == 1"),
        ("\"answers.name == '🙂' || )\"", ')"'),
    ],
)
def test_the_column_of_an_error_counts_an_astral_character_once(run: Runner, guard: str, at: str) -> None:
    text = FLOW.replace("guard: answers.sure == true", f"guard: {guard}")
    (entry,) = run("check", "--json", "-", stdin=text).json
    line = text.splitlines()[entry["line"] - 1]
    assert line[entry["column"] - 1 :].startswith(at)


def test_json_is_one_list_and_warnings_fail_only_when_strict(run: Runner, bad: Path, good: Path) -> None:
    done = run("check", "--json", good, bad)
    assert (done.code, [entry["severity"] for entry in done.json]) == (1, ["error", "error"])
    for entry in done.json:
        assert set(entry) == {"code", "severity", "message", "file", "line", "column", "pointer", "hint"}
        assert entry["file"] == str(bad)
    unreachable = FLOW.replace("edges:", "  - {id: lost, type: terminal}\nedges:")
    assert run("check", "-", stdin=unreachable).code == 0
    strict = run("check", "--strict", "-", stdin=unreachable)
    assert (strict.code, "warning GW" in strict.out) == (1, True)
    assert run("check", "--schema").json["$schema"].startswith("https://json-schema.org/")


def test_a_folder_means_its_flow_and_its_python_is_checked_but_not_run(run: Runner, tmp_path: Path) -> None:
    flow = FLOW.replace("type: terminal, say: Then not.", "type: action, run: greet")
    (tmp_path / "flow.yaml").write_text(f"{flow}  - {{from: t.no, to: t.yes}}\n", "utf-8")
    nodes = tmp_path / "nodes.py"
    source = "from graphwright import action\nraise SystemExit(7)\n\n@action()\ndef {}(state, ctx): ...\n"
    nodes.write_text(source.format("greet"), "utf-8")
    assert run("check", tmp_path).code == 0
    nodes.write_text(source.format("greed"), "utf-8")
    done = run("check", tmp_path)
    assert (done.code, "greet" in done.out, "greed" in done.out) == (1, True, True)
    nodes.unlink()
    alone = run("check", tmp_path)
    assert (alone.code, "Define it in `nodes.py` next to the document" in alone.out) == (1, True)
    assert run("draw", tmp_path).code == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   \n",
        b"\x7fELF\x00\x01\x02\xff\xfe",
        b"\xff\xfe\x00",
        b"- a\n- b\n",
        b"{",
        b"version: v1\n\tx: 1\n",
        b"42",
        pytest.param(b"# filler\n" * 1_200_000, id="ten megabytes"),
    ],
)
def test_junk_gives_a_diagnostic(run: Runner, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "junk.yaml"
    file.write_bytes(content)
    done = run("check", file)
    assert done.code == 1
    assert f"{file}:" in done.out
    assert "error GW" in done.out
    assert "\x00" not in done.out
    assert len(done.out) < 2_000


def test_files_that_cannot_be_read_are_usage_errors(run: Runner, tmp_path: Path, good: Path) -> None:
    missing = run("check", tmp_path / "nope.yaml", good)
    assert (missing.code, "There is no file" in missing.err, missing.out) == (
        *(2, True, f"{good}: ok (4 nodes, 3 edges)\n"),
    )
    (tmp_path / "empty").mkdir()
    for args in ((tmp_path / "empty",), ("bad\0name",), ()):
        assert run("check", *args).code == 2


def test_long_and_wide_lines_are_cut_around_the_mark(run: Runner) -> None:
    text = '{"version":"v1","id":"x","title":"%s","nodes":[{"id":"a","type":"terminl"}],"edges":[]}' % ("灯" * 4_000)
    done = run("check", "-", stdin=text)
    quoted = next(line for line in done.out.splitlines() if line.startswith("    1 | "))
    assert (done.code, len(quoted) < 130, "terminl" in quoted) == (1, True, True)


def test_a_document_cannot_drive_the_terminal(run: Runner) -> None:
    done = run(
        "check", "-", stdin='{"version": "v1", "id": "x", "nodes": [], "edges": [], "\\u001b[31m[bold]x[/nope]": 1}'
    )
    assert (done.code, "\x1b" in done.out, "[bold]x[/nope]" in done.out) == (1, False, True)


def test_thousands_of_diagnostics_are_cut_for_people_only(run: Runner) -> None:
    text = "version: v1\nid: x\nnodes:\n" + "  - {id: a, tpe: terminal}\n" * 3_000 + "edges: []\n"
    done = run("check", "-", stdin=text)
    assert (done.code, "more; --json shows all of them." in done.out, len(done.out.splitlines()) < 400) == (
        1,
        True,
        True,
    )
    assert len(run("check", "--json", "-", stdin=text).json) >= 3_000


# draw


def test_a_flow_is_drawn_in_three_formats_and_one_with_errors_is_not(run: Runner) -> None:
    assert run("draw", "intake").out.startswith("flowchart TD\n")
    drawn = run("draw", "-", "--format", "json", stdin=FLOW).json
    assert {node["id"] for node in drawn["nodes"]} == {"q.name", "q.sure", "t.yes", "t.no"}
    done = run("draw", "-", "--format", "svg", stdin=FLOW)
    assert (done.code, done.err) == (0, "")
    nodes = [e.get("data-node") for e in ET.fromstring(done.out).iter() if e.get("data-node")]
    assert nodes == ["q.name", "q.sure", "t.yes", "t.no"]
    bad = run("draw", "-", stdin=FLOW.replace("to: t.no", "to: t.on"))
    assert (bad.code, bad.out, "error GW" in bad.err, "cannot be drawn" in bad.err) == (1, "", True, True)
    assert run("draw", "-", "--format", "jpeg", stdin=FLOW).code == 2


@pytest.mark.parametrize("form", ["mermaid", "svg"])
def test_a_recursion_through_400_subgraphs_is_drawn(run: Runner, form: str) -> None:
    text = "version: v1\nid: deep\nnodes: [{id: c, type: subgraph, ref: s0}, {id: end, type: terminal}]\n"
    text += "edges: [{from: c, to: end}]\nsubgraphs:\n"
    for i in range(400):
        question = f"{{id: q{i}, type: question, key: k{i}, prompt: More?, schema: {{type: boolean}}}}"
        call = f"{{id: c{i}, type: subgraph, ref: s{(i + 1) % 400}}}"
        further = f"{{from: q{i}, to: c{i}, guard: answers.k{i}}}, {{from: c{i}, to: __exit__}}"
        text += (
            f"  s{i}: {{nodes: [{question}, {call}], edges: [{further}, {{from: q{i}, to: __exit__, guard: else}}]}}\n"
        )
    done = run("draw", "-", "--format", form, stdin=text)
    assert (done.code, done.err) == (0, "")
    assert "q399" in done.out


def test_an_svg_is_whole_where_stdout_lacks_its_characters(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW.replace("Then not.", "Schöne Grüße … 日本"), "utf-8")
    done = program("draw", tmp_path, "--format", "svg", home=tmp_path, PYTHONIOENCODING="latin-1")
    assert done.code == 0
    assert "Schöne Grüße … 日本" in "".join(ET.fromstring(done.out).itertext())
