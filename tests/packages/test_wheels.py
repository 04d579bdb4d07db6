"""Every package is a wheel that installs alone in an empty environment, with the packages that it requires."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(file.parent for file in ROOT.glob("packages/*/pyproject.toml"))
UV = Path(sys.prefix) / "bin" / "uv"


def uv(*arguments: str | Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run([UV, *arguments], env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for package in PACKAGES:
        uv("build", "--quiet", "--wheel", "--out-dir", folder, package)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_package_installs_alone_from_its_wheel(package: Path, wheels: Path, tmp_path: Path) -> None:
    (wheel,) = wheels.glob(f"{package.name.replace('-', '_')}-[0-9]*.whl")
    python = tmp_path / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, tmp_path)
    uv("pip", "install", "--quiet", "--python", python, "--find-links", wheels, wheel)
    module = package.name.replace("-", "_")
    run = [python, "-I", "-c", f"import {module}"]
    assert subprocess.run(run, capture_output=True, text=True, timeout=60, check=False).stderr == ""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))
    if module != "graphwright_upgrade_server":
        commands = project["project"].get("entry-points", {}).get("graphwright.commands", {})
        shown = subprocess.run(
            [tmp_path / "bin" / "graphwright", "--help"], capture_output=True, text=True, timeout=60, check=True
        )
        assert [name for name in commands if f"  {name} " not in shown.stdout] == []
        assert "cannot be used" not in shown.stdout


def test_every_package_has_a_page_and_the_version_of_the_others() -> None:
    projects = [tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"] for package in PACKAGES]
    assert {project["version"] for project in projects} == {projects[0]["version"]}
    for package in PACKAGES:
        assert len((package / "README.md").read_text("utf-8").splitlines()) <= 60
