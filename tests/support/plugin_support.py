"""The example of an installed package, `examples/plugin`."""

from __future__ import annotations

import tomllib

from cli_support import Site
from docs_support import ROOT

PLUGIN = ROOT / "examples" / "plugin"


def install_example(site: Site) -> None:
    groups = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    entries = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in found.items())
        for group, found in groups.items()
    )
    files = {
        str(file.relative_to(PLUGIN)): file.read_text("utf-8")
        for file in PLUGIN.rglob("*")
        if file.suffix in (".py", ".yaml", ".js")
    }
    site.install("bike-repairs", entries, files)
