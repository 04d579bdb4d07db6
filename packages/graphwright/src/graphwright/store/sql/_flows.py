"""Flow documents by hash, and the draft and the published versions of each flow."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import protocols
from graphwright.store._errors import StoreError, damaged
from graphwright.store.rows import AuditEntry, FlowDraft, FlowVersion, dump, load, storable
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._access import adding_audit
from graphwright.store.sql._database import Prepared, SqlPart, Write, replacing

_documents, _drafts, _versions = schema.flow_documents, schema.flow_drafts, schema.flow_versions
_code = schema.flow_code
_put_code = Prepared(replacing(insert(_code)))
_get_code = select(_code.c.code).where(_code.c.hash == bindparam("digest"))
_put = Prepared(insert(_documents).on_conflict_do_nothing())
_document = select(_documents.c.document).where(_documents.c.hash == bindparam("digest"))
_draft = select(_drafts).where(_drafts.c.flow == bindparam("id"))
_replace_draft = update(_drafts).where(_drafts.c.flow == bindparam("id"), _drafts.c.revision == bindparam("known"))
_of_flow = select(_versions).where(_versions.c.flow == bindparam("id")).order_by(_versions.c.number.desc())
_last = select(func.coalesce(func.max(_versions.c.number), 0)).where(_versions.c.flow == bindparam("id"))


def keeping_document(document: str, time: str) -> tuple[str, Write]:
    """Return the hash of a document, and the write that stores it if missing. Raises `StoreError("not_canonical")`."""
    row = {"hash": _hash(document), "document": document, "created": time}
    return row["hash"], lambda connection: _put.run(connection, row)


def keeping_code(digest: str, code: str, time: str) -> Write:
    """Return the write that stores what the code declares with a document."""
    row = {"hash": digest, "code": code, "updated": time}
    return lambda connection: _put_code.run(connection, row)


@lru_cache(maxsize=64)
def _hash(document: str) -> str:
    try:
        canonical = dump(json.loads(document), "a flow document", canonical=True)
    except (ValueError, RecursionError, StoreError):
        canonical = None
    if canonical != document:
        raise StoreError(
            "not_canonical",
            "The flow document is not canonical JSON, so it has no hash.",
            "Pass the `canonical_text` of a compiled flow.",
        )
    return hashlib.sha256(document.encode()).hexdigest()


class SqlFlowDocuments(SqlPart, protocols.FlowDocuments):
    async def put(self, document: str) -> str:
        digest, write = keeping_document(document, self._time())
        await self._database.run(write)
        return digest

    async def get(self, digest: str) -> str | None:
        found: str | None = await self._database.read(lambda c: c.scalar(_document, {"digest": digest}))
        if found is not None and hashlib.sha256(found.encode()).hexdigest() != digest:
            raise damaged(f"the flow document {digest} in it is not the one that was written")
        return found

    async def hashes(self, prefix: str, limit: int = 2) -> list[str]:
        found = select(_documents.c.hash).where(_documents.c.hash.startswith(prefix, autoescape=True))
        statement = found.order_by(_documents.c.hash).limit(limit)
        return [*await self._database.read(lambda c: c.scalars(statement).all())]

    async def code(self, digest: str) -> dict[str, Any] | None:
        found: str | None = await self._database.read(lambda c: c.scalar(_get_code, {"digest": digest}))
        return None if found is None else load(found)

    async def draft(self, flow: str) -> FlowDraft | None:
        return await self._database.read(lambda c: _read_draft(c, flow))

    async def save_draft(self, flow: str, text: str, *, revision: int, author: str) -> FlowDraft:
        row = {"text": storable(text), "revision": revision + 1, "author": author, "updated": self._time()}

        def work(connection: Connection) -> FlowDraft:
            if revision:
                saved = connection.execute(_replace_draft.values(row), {"id": flow, "known": revision})
            else:
                saved = connection.execute(insert(_drafts).values(flow=flow, **row).on_conflict_do_nothing())
            draft = _read_draft(connection, flow)
            if draft is None or not saved.rowcount:
                raise _changed(flow, revision, draft)
            return draft

        return await self._database.run(work)

    async def publish(
        self,
        flow: str,
        document: str,
        *,
        author: str,
        note: str = "",
        text: str = "",
        after: int | None = None,
        audit: Callable[[FlowVersion], AuditEntry] | None = None,
    ) -> FlowVersion:
        time = self._time()
        digest, write = keeping_document(document, time)

        def work(connection: Connection) -> FlowVersion:
            write(connection)
            # If two publish at the same time in Postgres, one finds the number taken, and its transaction is repeated.
            last = connection.execute(_last, {"id": flow}).scalar_one()
            if after not in (None, last):
                raise StoreError(
                    "version_changed",
                    f"The latest version of the flow `{flow}` is {last}, not {after}: another version was published.",
                    "Nothing was published. Compare your text with it first.",
                )
            version = FlowVersion(
                flow=flow,
                number=last + 1,
                hash=digest,
                author=author,
                note=storable(note),
                created=time,
                text=storable(text),
            )
            connection.execute(insert(_versions), asdict(version))
            if audit is not None:
                adding_audit(audit(version), time)(connection)
            return version

        return await self._database.run(work)

    async def versions(self, flow: str) -> list[FlowVersion]:
        return [FlowVersion(**row) for row in await self._rows(_of_flow, {"id": flow})]

    async def latest(self, flow: str) -> FlowVersion | None:
        row = await self._first(_of_flow.limit(1), {"id": flow})
        return None if row is None else FlowVersion(**row)


def _read_draft(connection: Connection, flow: str) -> FlowDraft | None:
    row = connection.execute(_draft, {"id": flow}).mappings().first()
    return None if row is None else FlowDraft(**row)


def _changed(flow: str, revision: int, draft: FlowDraft | None) -> StoreError:
    if draft is None:
        why = f"There is no draft of the flow `{flow}`, so revision {revision} of it cannot be replaced."
        return StoreError("draft_changed", why, "Save it as a new draft: revision 0.")
    who = f" by `{draft.author}`" if draft.author else ""
    return StoreError(
        "draft_changed",
        f"The draft of the flow `{flow}` was saved{who} at {draft.updated} as revision {draft.revision}; "
        f"this change was made to revision {revision}.",
        "Nothing was saved. Load the draft again, and repeat the change there.",
    )
