"""The folders of tests mirror those of the project, and each file is named after the module that it tests."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PACKAGES = {source.name: source for source in ROOT.glob("packages/*/src/*") if source.is_dir()}
FILES = [file.relative_to(TESTS) for file in sorted(TESTS.rglob("test_*.py"))]


@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=str)
def test_a_folder_of_tests_mirrors_a_folder_of_the_project(folder: Path) -> None:
    own = PACKAGES.get(folder.parts[0] if folder.parts else "")
    if own is None:
        assert folder.parts
        assert (ROOT / folder).is_dir(), f"tests/{folder} mirrors no folder of the project"
        return
    mirrored = own.joinpath(*folder.parts[1:])
    assert (mirrored / "__init__.py").is_file(), f"tests/{folder} mirrors no package: there is no {mirrored}"
    modules = {file.stem.strip("_") for file in mirrored.glob("*.py")} | {mirrored.name}
    for file in (file.stem.removeprefix("test_") for file in FILES if file.parent == folder):
        named = any(file == module or file.startswith(f"{module}_") for module in modules)
        assert named, f"tests/{folder}/test_{file}.py is named after no module of {mirrored}"


def test_a_name_of_a_support_module_is_used_once() -> None:
    names = [file.name for file in TESTS.rglob("support/*.py")]
    assert sorted(set(names)) == sorted(names)
