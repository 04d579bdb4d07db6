"""Files: uploads within limits, the files that a thread received, and those that its agent created."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import mimetypes
import os
import secrets
import shutil
from bisect import bisect_right
from pathlib import Path
from typing import IO
from urllib.parse import quote

from fastapi import APIRouter, UploadFile
from fastapi.responses import FileResponse

from graphwright import UsageError
from graphwright.host.thread_files import plain_name
from graphwright.store import StoreError, Upload
from graphwright_files.source import kind_of
from graphwright_server._shown import artifact_id
from graphwright_server.access.gate import User, Viewer
from graphwright_server.access.principal import Principal, not_found
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Whole, content
from graphwright_server.shapes._files import Artifact, FileGiven, Uploaded

router = APIRouter(tags=["files"])

_CHUNK = 2**20
_INLINE_TYPES = frozenset(
    ("image/png", "image/jpeg", "image/gif", "image/webp", "application/json", "text/csv", "text/plain")
)
"""Content types that a browser may show inline: none of them can run scripts."""

_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"


@router.post("/files", status_code=201)
@router.put("/files", status_code=201, include_in_schema=False)
async def upload_file(principal: User, service: ServiceState, file: UploadFile) -> Uploaded:
    """Upload a file. Send its `id` in `files` of a turn. Its type is determined from the content, not from the name."""
    await service.limits.take(principal, "uploads")
    await _require_room(service, principal, file.size or 0)
    id = secrets.token_hex(16)
    upload = await asyncio.to_thread(_kept, service, id, principal.user, file)
    await service.workspace.store.uploads.add(upload)
    await service.own.claim("file", id, principal)
    return Uploaded(id=id, name=upload.name, bytes=upload.bytes, sha256=upload.sha256, kind=upload.kind)


@router.delete("/files/{id}", status_code=204)
async def delete_file(principal: User, service: ServiceState, id: str) -> None:
    """Delete an upload. Threads that received it have their own copies."""
    await service.own.require("file", id, principal)
    upload = await service.workspace.store.uploads.get(id)
    await service.workspace.store.uploads.delete(id)
    await service.own.release("file", id)
    if upload is not None:
        await asyncio.to_thread(shutil.rmtree, service.uploads / upload.id, ignore_errors=True)


@router.get("/threads/{id}/files")
async def list_files(principal: Viewer, service: ServiceState, id: str) -> Whole[FileGiven]:
    """The files that a thread received."""
    await service.thread(id, principal)
    given = await service.workspace.files(id)
    items = [FileGiven(name=each.title, bytes=each.bytes, sha256=each.sha256) for each in given]
    return Whole[FileGiven](items=items, next=None)


@router.get("/threads/{id}/files/{sha256}", response_class=FileResponse, responses=content("*/*", "The file."))
async def read_file(principal: Viewer, service: ServiceState, id: str, sha256: str) -> FileResponse:
    """The content of a file that a thread received. Types that could run scripts are sent sandboxed, as a download."""
    await service.thread(id, principal)
    given = next((each for each in await service.workspace.files(id) if each.sha256 == sha256), None)
    if given is None or await asyncio.to_thread(_size, given.path) is None:
        raise not_found("file")
    return _response(given.path, given.title)


@router.get("/threads/{id}/artifacts")
async def list_artifacts(principal: Viewer, service: ServiceState, id: str) -> Whole[Artifact]:
    """The files that actions of a thread created, in order. `bytes` is null if the file no longer exists."""
    await service.thread(id, principal)
    began = [row.seq for row in await service.workspace.store.events.of_type(id, "turn_started")]
    items = []
    for made in await service.workspace.artifacts(id):
        size = await asyncio.to_thread(_size, Path(made["path"]))
        turn = bisect_right(began, made["seq"])
        about = {"name": made["name"], "kind": made["kind"], "bytes": size, "turn": turn, "seq": made["seq"]}
        items.append(Artifact.model_validate({"id": artifact_id(made["path"]), **about}))
    return Whole[Artifact](items=items, next=None)


@router.get("/threads/{id}/artifacts/{artifact}", response_class=FileResponse, responses=content("*/*", "The file."))
async def read_artifact(principal: Viewer, service: ServiceState, id: str, artifact: str) -> FileResponse:
    """The content of an artifact. Types that could run scripts are sent sandboxed, as a download."""
    await service.thread(id, principal)
    made = [each for each in await service.workspace.artifacts(id) if artifact_id(each["path"]) == artifact]
    path = Path(made[-1]["path"]) if made else None
    if path is None or await asyncio.to_thread(_size, path) is None:
        raise not_found("artifact")
    return _response(path, made[-1]["name"])


def _response(path: Path, name: str) -> FileResponse:
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    way = "inline" if media in _INLINE_TYPES else "attachment"
    headers = {
        "Content-Disposition": f"{way}; filename*=UTF-8''{quote(plain_name(Path(name)))}",
        "Content-Security-Policy": _POLICY,
    }
    return FileResponse(path, media_type=media, headers=headers)


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


async def _require_room(service: Service, principal: Principal, size: int) -> None:
    settings = service.settings
    if size > settings.upload_bytes:
        raise UsageError(
            "large_upload", f"The file has {size:,} bytes; at most {settings.upload_bytes:,} are accepted.", ""
        )
    _, stored = await service.workspace.store.uploads.size(principal.user)
    if stored + size > settings.stored_bytes:
        message = f"Your uploads have {stored:,} bytes; at most {settings.stored_bytes:,} are kept."
        raise UsageError("quota", message, "Delete some.")


def _kept(service: Service, id: str, owner: str, file: UploadFile) -> Upload:
    """Copy an upload into a new folder, and return its record."""
    name = plain_name(Path(file.filename or "file"))
    folder = service.uploads / id
    try:
        folder.mkdir(parents=True, mode=0o700)
        digest, size = hashlib.sha256(), 0
        with (folder / name).open("xb") as copy:
            os.fchmod(copy.fileno(), 0o600)
            while chunk := file.file.read(_CHUNK):
                digest.update(chunk)
                copy.write(chunk)
                size += len(chunk)
        source: IO[bytes] = file.file
        kind = kind_of(source).name
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = "There is no room left on the disk for the upload."
            raise StoreError("disk_full", message, "Free some space and try again.") from error
        raise
    now = service.workspace.store.time()
    return Upload(id=id, owner=owner, name=name, sha256=digest.hexdigest(), kind=kind, created=now, bytes=size)
