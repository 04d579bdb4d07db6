"""The documentation is true: its files are written, its code is run, its commands print what it shows.

By the word after the three backticks, a block of a page is: `console`, commands after `$ ` and their output; `python`,
code that is run, with its output in the `text` block after it; `LANGUAGE PATH`, a file that is written; `sh`, commands
that are not run; `diff PATH`, a change to a file; `mermaid`, the drawing of the page's only flow; `yaml` and `json`, a
valid document. All blocks of a page share one folder, in order.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

import build_site
import command_reference
import draw_flows
import graphwright
import python_reference
import reference_pages
from docs_support import ROOT, Block, blocks, check_console, run_command, steady
from graphwright.cli import _app as command_line

PAGES = (
    "README.md",
    "docs/agents.md",
    "docs/assurances.md",
    "docs/authoring.md",
    "docs/cli.md",
    "docs/diff.md",
    "docs/flow-document.md",
    "docs/graph.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs/how-to").glob("*.md")),
    "docs/layers.md",
    "docs/migration.md",
    "docs/models.md",
    "docs/observability.md",
    "docs/paths.md",
    "docs/proposals.md",
    "docs/python-api.md",
    "docs/ready-made-actions.md",
    "docs/retrieval.md",
    "docs/shadow.md",
    "docs/start.md",
    "docs/stores.md",
    "docs/testing.md",
    "docs/tutorial.md",
    "docs/upgrade.md",
    "docs/versions.md",
    "packages/graphwright/src/graphwright/agents/intake/README.md",
)
COMMAND_PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/README.md", "packages/*/src/**/README.md", "packages/*/README.md")
    for page in ROOT.glob(pattern)
)


def apply(block: Block) -> None:
    """Change the named file as the block says: a line with a sign is added or removed, the others are context."""
    lines = block.text.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    file = Path(block.path)
    assert file.read_text("utf-8").count(old) == 1, old
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def test_the_pictures_of_flows_are_up_to_date() -> None:
    stale = [name for name, drawn in draw_flows.pictures() if (draw_flows.PICTURES / name).read_text("utf-8") != drawn]
    assert stale == [], "Run: python scripts/draw_flows.py"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_hold(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packages").symlink_to(ROOT / "packages")
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    for name in ("GRAPHWRIGHT_MODEL", "FORCE_COLOR", "UPGRADE_API_URL"):
        monkeypatch.delenv(name, raising=False)
    names: dict[str, Any] = {"__name__": "example"}
    printed: str | None = None
    for block in blocks(page):
        where = f"{page}:{block.line}"
        if block.language == "diff":
            apply(block)
        elif block.path:
            Path(block.path).parent.mkdir(parents=True, exist_ok=True)
            Path(block.path).write_text(block.text, "utf-8")
        elif block.language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * block.line + block.text, page, "exec"), names)  # noqa: S102
            printed = output.getvalue()
        elif block.language == "text":
            assert printed is not None, f"{where}: no code before it prints anything"
            assert steady(printed) == steady(block.text), where
        elif block.language == "console":
            check_console(block, where)
        elif block.language == "mermaid":
            (flow,) = Path().glob("*/flow.yaml")
            assert run_command(f"graphwright draw {flow}", 0) == (block.text, 0), where
        elif block.language == "yaml":
            yaml.load(block.text, yaml.CSafeLoader)
        elif block.language == "json":
            json.loads(block.text)


# commands and options


def commands() -> dict[str, tuple[set[str], bool]]:
    """The options of every command by its words (`threads show`), and whether it is a group."""
    found: dict[str, tuple[set[str], bool]] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        # Options of packages, as `--notebook`, are added when a command is used.
        params = command.get_params(typer.Context(command))
        options = {name for p in params if p.param_type_name == "option" for name in p.opts}
        names = command.list_commands(None) if hasattr(command, "list_commands") else ()
        inner = {name: command.get_command(None, name) for name in names}
        found[" ".join(words)] = (options, bool(inner))
        for name, child in inner.items():
            walk(child, (*words, name))

    walk(typer.main.get_command(command_line.app), ())
    return found


EVERYWHERE = {"--help", "-h", "--debug"}


def test_the_reference_of_commands_lists_every_command_with_its_options() -> None:
    parts = re.split(r"^## graphwright (.+)$", command_reference.page(), flags=re.MULTILINE)
    listed = {
        name: {
            option for cell in re.findall(r"^\| `(-.*?)` \|", text, re.M) for option in re.findall(r"--?[a-z-]+", cell)
        }
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert listed == {name: options - EVERYWHERE for name, (options, _) in commands().items() if name}


def test_no_page_names_a_command_or_option_that_does_not_exist() -> None:
    known = commands()
    # The examples of commands in separate packages.
    known |= {"stock": (set(), False), "repairs": (set(), False)}
    for page in COMMAND_PAGES:
        text = (ROOT / page).read_text("utf-8")
        for line in re.findall(r"(?:^|`|\$ |[|] )(?:\.venv/bin/)?graphwright ([a-z].*?)(?:`|$)", text, re.MULTILINE):
            name, *words = line.split()
            assert name in known, f"{page}: graphwright {line}"
            if known[name][1] and words and words[0].isalpha() and words[0].islower():
                name = f"{name} {words[0]}"
                assert name in known, f"{page}: graphwright {line}"
            for option in re.findall(r"(?<!\S)--[a-z-]+", line):
                assert option in known[name][0] | EVERYWHERE, f"{page}: graphwright {line}"


# the API for agents


def members(page: str, prefix: str) -> set[str]:
    """The names after `prefix` in the first column of a page's tables."""
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {name for row in rows for name in re.findall(rf"`(?:await )?{prefix}(\w+)", row)}


def test_the_page_lists_every_member_of_the_store_of_an_action() -> None:
    from graphwright.host._action_context import ActionStore

    assert members("docs/agents.md", r"ctx\.store\.") == {n for n in dir(ActionStore) if not n.startswith("_")}


def test_the_page_lists_every_field_of_a_conversation() -> None:
    from graphwright.testing._conversation import Conversation, Expect, ScriptedTurn

    page = (ROOT / "docs/testing.md").read_text("utf-8")
    for heading, model in (("of the file", Conversation), ("of a turn", ScriptedTurn), ("of `expect`", Expect)):
        table = page.split(f"| field {heading} |")[1].split("\n\n")[0]
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        assert set(re.findall(r"\w+", " ".join(rows))) == set(model.model_fields)


def test_the_page_lists_every_public_name() -> None:
    page = (ROOT / "docs/python-api.md").read_text("utf-8")
    table = page.split("| purpose | names |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == set(graphwright.__all__)


def links(page: str) -> Iterator[tuple[str, str]]:
    for target in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text("utf-8")):
        if not target.startswith(("http:", "https:")):
            file, _, anchor = target.partition("#")
            yield file, anchor


def test_links_lead_somewhere() -> None:
    for page in COMMAND_PAGES:
        for file, anchor in links(page):
            path = (ROOT / page).parent / file if file else ROOT / page
            assert path.exists(), f"{page}: {file}"
            page_text = path.read_text("utf-8") if path.suffix == ".md" else ""
            text = re.sub(r"^```.*?^```$", "", page_text, flags=re.M | re.S)
            heads = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)]
            assert not anchor or anchor in heads, f"{page}: {file}#{anchor}"


# the Python reference


@pytest.mark.parametrize("package", python_reference.PACKAGES)
def test_every_public_class_and_function_has_a_docstring(package: str) -> None:
    module = import_module(package)
    things = {name: getattr(module, name) for name in module.__all__}
    described = {name: thing for name, thing in things.items() if inspect.isclass(thing) or inspect.isroutine(thing)}
    assert [name for name, thing in described.items() if not python_reference.description(thing)] == []


def test_every_method_and_property_of_the_main_package_has_a_docstring() -> None:
    classes = [thing for name in graphwright.__all__ if inspect.isclass(thing := getattr(graphwright, name))]
    assert [
        f"{thing.__name__}.{name}"
        for thing in classes
        for name, member in python_reference.members(thing)
        if not python_reference.description(member)
    ] == []


def test_every_package_of_the_reference_lists_its_public_names() -> None:
    modules = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for source in (ROOT / "packages").glob("*/src")
        for path in source.rglob("*.py")
        if re.search(r"^__all__ =", path.read_text("utf-8"), re.MULTILINE)
    }
    assert set(python_reference.PACKAGES) <= modules


@pytest.mark.parametrize("name", reference_pages.PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text("utf-8")
    assert written == reference_pages.PAGES[name](), "Run: python scripts/reference_pages.py"


# the site


def test_the_site_has_every_page_in_its_menu_and_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    pages = build_site.lay_out(tmp_path)
    build_site.menu(pages)  # raises for a page without a place in the navigation
    assert {
        "index.md",
        "flow-reference.md",
        "diagnostics/GW101.md",
        "agents/upgrade.md",
        "reference/commands.md",
        "reference/graphwright.md",
        "examples/approval.md",
    } <= set(pages)
    for page in pages:
        for file, _ in links(str(tmp_path / page)):
            assert not file or (tmp_path / page).parent.joinpath(file).exists(), f"{page}: {file}"
