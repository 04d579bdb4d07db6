"""Builds the documentation as a site: `make docs`.

    python scripts/build_site.py build/site

The pages of `docs/`, the README files of the project, of its agents and of its examples, and the reference pages that
are generated from the program (diagnostics, commands, Python packages) are copied to one folder, their
links are adapted to it, and Zensical renders them. The site loads nothing from other hosts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import command_reference
import python_reference
import reference_pages

ROOT = Path(__file__).resolve().parent.parent
AGENTS = ("intake", "graph_editor", "upgrade", "data_scientist", "assistant")
SECTIONS: dict[str, tuple[str, ...]] = {
    "Begin": ("start", "tutorial"),
    "How to": tuple(f"how-to/{page.stem}" for page in sorted((ROOT / "docs" / "how-to").glob("*.md"))),
    "Write agents": (
        "agents",
        "flow-document",
        "flow-reference",
        "layers",
        "versions",
        "diff",
        "migration",
        "shadow",
        "guards",
        "ready-made-actions",
        "paths",
        "proposals",
        "testing",
        "editor",
        "assurances",
        "authoring",
        "python-api",
        "plugins",
    ),
    "Run agents": (
        "cli",
        "web-app",
        "service",
        "access",
        "configuration",
        "models",
        "routes",
        "events",
        "observability",
    ),
    "Operate": ("stores", "deploy"),
    "Files, graphs, tools": ("files", "retrieval", "graph", "sandbox", "mcp", "upgrade"),
    "Measured": ("benchmarks", "evaluation"),
}
"""The pages of `docs/` by section, in the order of the menu. A page without a section is an error."""
EXAMPLES = tuple(sorted(page.name for page in (ROOT / "examples").iterdir() if page.is_dir()))


def _source(name: str) -> str:
    """The file of a module or package, relative to the project."""
    path = name.replace(".", "/")
    files = (file for end in ("/__init__.py", ".py") for file in (ROOT / "packages").glob(f"*/src/{path}{end}"))
    return next(files).relative_to(ROOT).as_posix()


GENERATED = {
    "packages/graphwright/src/graphwright/flow/diagnostic_catalog.yaml": "diagnostics/index.md",
    "packages/graphwright/src/graphwright/cli/_app.py": "reference/commands.md",
    **{_source(name): f"reference/{name}.md" for name in python_reference.PACKAGES},
}
"""The source of generated pages: a link to it in the project becomes a link to the page on the site."""
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FILE_NAME = re.compile(r"`?[\w./-]+\.md`?")
_CODE = re.compile(r"GW\d\d\d")
_FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
"""The first line of a code block that names its file."""


def sources() -> dict[str, str]:
    """The path of each page in the project, and on the site, with slashes."""
    pages = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        path = page.relative_to(ROOT / "docs").as_posix()
        pages[f"docs/{path}"] = path
    pages["examples/README.md"] = "examples/index.md"
    for page in sorted((ROOT / "packages").glob("*/README.md")):
        pages[page.relative_to(ROOT).as_posix()] = f"packages/{page.parent.name}.md"
    agents = {page.parent.name: page for page in (ROOT / "packages").glob("*/src/**/README.md")}
    return pages | {agents[name].relative_to(ROOT).as_posix(): f"agents/{name}.md" for name in AGENTS}


def adapted(text: str, page: str, pages: dict[str, str]) -> str:
    """The text of a page of the project with the links of the site.

    A link to a file that is not on the site becomes the name of that file. The file of a code block becomes its title;
    the code itself is not changed. Raises ValueError for a link whose text is the name of a page's file.
    """

    def link(match: re.Match[str]) -> str:
        image, words, target = match.groups()
        if target.startswith(("#", "http:", "https:")):
            return match[0]
        path, _, anchor = target.partition("#")
        file = os.path.normpath(PurePosixPath(page).parent / path)
        home = pages.get(file) or _home(file, words)
        if home and _FILE_NAME.fullmatch(words):
            raise ValueError(f"{page}: the text of the link to {file} is a file name; use the title of the page")
        if not home:
            return f"{words} (`{file}`)" if words.strip("`") != file else words
        way = os.path.relpath(home, PurePosixPath(pages[page]).parent)
        return f"{image}[{words}]({way}{'#' + anchor if anchor else ''})"

    parts = _FENCE.split(text)
    code = [_FILE.sub(r'```\1 title="\2"', block, count=1) for block in _FENCE.findall(text)]
    return "".join(_LINK.sub(link, part) + fence for part, fence in zip(parts, [*code, ""], strict=True))


def _home(file: str, words: str) -> str:
    """The path on the site of a picture, or of a page that is generated from a file of the project; else empty."""
    if file.startswith("docs/pictures/"):
        return file.removeprefix("docs/")
    if (parts := PurePosixPath(file).parts)[0] == "examples" and len(parts) > 1 and parts[1] in EXAMPLES:
        return f"examples/{parts[1]}.md"
    home = GENERATED.get(file, "")
    return f"diagnostics/{words}.md" if home == "diagnostics/index.md" and _CODE.fullmatch(words) else home


def example_page(name: str) -> str:
    """The page of an example: the files in its folder."""
    folder = ROOT / "examples" / name
    parts = [f"# Example: {name}\n", f"The files of `examples/{name}`. [The examples](index.md) describes it.\n"]
    for file in sorted(folder.rglob("*"), key=lambda file: ("tests" in file.parts, file)):
        if file.suffix in (".yaml", ".py", ".toml"):
            language = file.suffix.removeprefix(".").replace("py", "python")
            parts.append(f'```{language} title="{file.relative_to(folder).as_posix()}"\n{file.read_text("utf-8")}```\n')
    return "\n".join(parts)


def generated() -> Iterator[tuple[str, str]]:
    """Every page that no one writes: its path on the site, and its text."""
    yield from reference_pages.pages()
    yield "reference/commands.md", command_reference.page()
    yield from python_reference.pages()
    yield from ((f"examples/{name}.md", example_page(name)) for name in EXAMPLES)


def lay_out(folder: Path) -> list[str]:
    """Write every page of the site and the pictures below `folder`. Returns the paths of the pages."""
    pages = sources()
    made = [*((home, adapted((ROOT / page).read_text("utf-8"), page, pages)) for page, home in pages.items())]
    made += generated()
    for name, text in made:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    shutil.copytree(ROOT / "docs" / "pictures", folder / "pictures")
    return [name for name, _ in made]


def menu(pages: list[str]) -> list[dict[str, object]]:
    """The menu of the site. Raises ValueError for a page without a section."""
    found: list[dict[str, object]] = [{"Graphwright": ["index.md"]}]
    found += [{title: [f"{name}.md" for name in names]} for title, names in SECTIONS.items()]
    found.append({"Examples": ["examples/index.md", *(f"examples/{name}.md" for name in EXAMPLES)]})
    found.append({"The agents": [f"agents/{name}.md" for name in AGENTS]})
    found.append({"Packages": [page for page in pages if page.startswith("packages/")]})
    packages = [f"reference/{name}.md" for name in python_reference.PACKAGES]
    found.append({"Reference": ["reference/index.md", "reference/commands.md", *packages]})
    rest = sorted(page for page in pages if page.startswith("diagnostics/") and not page.endswith("index.md"))
    found.append({"Diagnostics": ["diagnostics/index.md", *rest]})
    found.append({"The project": ["architecture.md", "contributing.md", "changelog.md"]})
    listed = {page for section in found for entries in section.values() for page in _texts(entries)}
    if missing := set(pages) - listed:
        raise ValueError(f"scripts/build_site.py: SECTIONS has no place for {', '.join(sorted(missing))}")
    return found


def _texts(entries: object) -> Iterator[str]:
    yield from (entry for entry in entries if isinstance(entry, str)) if isinstance(entries, list) else ()


def settings(pages: list[str]) -> str:
    """The settings of Zensical, as TOML. No font, script or picture is loaded from another host."""
    return f"""[project]
site_name = "Graphwright"
site_description = "LLM agents whose behaviour is a graph you can read, check, test and trust"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = {_toml(menu(pages))}

[project.theme]
variant = "modern"
language = "en"
font = false
features = ["content.code.copy", "navigation.sections", "navigation.path", "navigation.top", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"

[project.markdown_extensions]
tables = {{}}
toc.permalink = true
pymdownx.highlight.anchor_linenums = true
pymdownx.superfences = {{}}
"""


def _toml(nav: list[dict[str, object]]) -> str:
    entries = (f"{{{json.dumps(title)} = {json.dumps(pages)}}}" for each in nav for title, pages in each.items())
    return "[" + ", ".join(entries) + "]"


def build(target: Path) -> int:
    """Build the site into `target`, replacing its content. Returns the number of pages."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        pages = lay_out(work / "pages")
        (work / "zensical.toml").write_text(settings(pages), "utf-8")
        program = Path(sys.executable).with_name("zensical")
        subprocess.run(
            [program, "build", "--strict", "--clean"], cwd=work, check=True, env={**os.environ, "NO_COLOR": "1"}
        )
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "site", target)
    return len(pages)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/build_site.py FOLDER")
    print(f"{build(Path(sys.argv[1]))} pages in {sys.argv[1]}/index.html")
