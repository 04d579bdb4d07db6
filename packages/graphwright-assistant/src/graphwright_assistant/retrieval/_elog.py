"""A logbook on an ELOG server: read over HTTP with limits of bytes and time, filtered there and ranked here."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any, TypeVar

import httpx

from graphwright.errors import redact
from graphwright.text.full_text import Query
from graphwright.text.markup import clean, one_line, title_of
from graphwright_assistant.retrieval._builtin_logbook import EntryIndex
from graphwright_assistant.retrieval._entry_files import Record, Records, decode, read_raw, read_xml
from graphwright_assistant.retrieval._errors import LogbookError
from graphwright_assistant.retrieval._logbook import (
    ROLES,
    Clock,
    Entry,
    LogbookValues,
    SearchFilter,
    SearchResult,
    by_frequency,
    gather,
)

T = TypeVar("T")

USER = "GRAPHWRIGHT_ELOG_USER"
PASSWORD = "GRAPHWRIGHT_ELOG_PASSWORD"
"""The environment variables for user name and password."""

MOST_BYTES = 8 * 1024 * 1024
"""The maximum size of an answer, in bytes."""

_CONNECT, _READ, _ANSWER, _SEARCH = 5.0, 10.0, 20.0, 45.0
"""Time limits in seconds: for a connection, for the next bytes, for one answer, and for all answers of a search."""

_PAUSE = 30.0
"""The seconds after a missing answer in which the server is not asked again."""

_LATEST, _KEPT = 200, 600.0
"""The number of entries that show the values and attributes, and the seconds until they are requested again."""

# The days that a search without a first day goes back, until it has found enough.
_BACK = (31, 366, 3_660)
_BACK_FOR_ALL = (7, *_BACK)
_PATTERN_SIGNS = frozenset("()[]{}*+?^$|\\")
# The titles of the sign-in page that elogd sends instead of an answer.
_SIGN_IN = re.compile(r"\blog.?in\b|\bnew user\b|\bsign.?in\b|\banmeld|\bpassword", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Export:
    """The entries of an export, newest first, the number of `broken` ones, and why others are missing (`cut`).

    `attributes` maps each role of `ROLES` to the logbook's own attribute, or to an empty text.
    """

    entries: tuple[Entry, ...]
    attributes: Mapping[str, str]
    broken: int = 0
    cut: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    text: str
    cut: str = ""

    @property
    def is_page(self) -> bool:
        start = self.text.lstrip()[:300].lower()
        typed = "text/html" in self.headers.get("content-type", "")
        return start.startswith(("<!doctype html", "<html", "<head")) or (
            typed and not start.startswith(("$@mid@$", "<?xml", "<elog"))
        )

    @property
    def wants_sign_in(self) -> bool:
        return self.status in (401, 403) or (self.is_page and bool(_SIGN_IN.search(title_of(self.text))))


class _Silent(LogbookError):
    """The server accepted the request and closed the connection without an answer."""


class ElogClient:
    """Reads one logbook by its address, `https://elog.example/Logbook`. Every call may raise LogbookError.

    It signs in with `user` and `password` if the server requires it; neither appears in a log or an error. It sends
    only GET requests that read.
    """

    def __init__(self, address: str, user: str = "", password: str = "") -> None:
        self.address = _checked(address)
        self._user = user
        self._password = password
        self._cookies = httpx.Cookies()
        self._signing_in = asyncio.Lock()

    async def export(self, parameters: Mapping[str, str], path: str = "") -> Export:
        """The entries of a search (`cmd=Search` with these parameters) or of a `path` like `last20`, newest first.

        Uses XML, or Raw if the XML cannot be parsed. The caller limits it by time or by `lastN`, because the server
        does not.
        """
        asked = {**({} if path else {"cmd": "Search", "reverse": "1"}), **parameters}
        answer = await self._read(path, {**asked, "mode": "XML"})
        if "<ELOG_LIST" in answer.text[:2_000]:
            cut = answer.cut or ("" if "</ELOG_LIST>" in answer.text[-200:] else "the server's answer breaks off")
            export = await asyncio.to_thread(lambda: self._export(read_xml(answer.text), cut))
            if not export.broken:
                return export
        raw = await self._read(path, {**asked, "mode": "Raw"})
        if raw.text.strip() and not raw.text.lstrip().startswith("$@MID@$"):
            raise self._no_entries(raw)
        # The last record of a cut answer may be incomplete.
        text = clean(raw.text).rpartition("\n$@MID@$:")[0] if raw.cut else raw.text
        return await asyncio.to_thread(lambda: self._export(read_raw(text), raw.cut))

    async def entry(self, id: int) -> Entry | None:
        """The entry with this id, or None."""
        try:
            # A server does not answer a request for an unknown entry: it hangs unless the connection is to be closed.
            answer = await self._read(str(id), {"cmd": "Download"}, {"Connection": "close"})
        except _Silent:
            # Nor does a server that has just died: requesting the page of the entry distinguishes the two.
            await self._read(str(id), {}, page=True)
            return None
        _, record = next(read_raw(answer.text, single=True), ("", None))
        try:
            found = self._entry(record) if record else None
        except ValueError as error:
            raise LogbookError("not_an_answer", f"Entry {id} of {self.address} cannot be read: {error}.") from None
        return found if found and found.id == id else None

    def _entry(self, record: Record | str) -> Entry:
        """The entry of a record. Raises ValueError if it cannot be read."""
        if isinstance(record, str):
            raise ValueError(record)
        return record.entry(f"{self.address}/{record.number('id')}")

    def _export(self, read: Records, cut: str) -> Export:
        # Each entry once, sorted by id, because the server's order is undefined within one second.
        entries, attributes, broken = dict[int, Entry](), dict.fromkeys(ROLES, ""), 0
        for _, record in read:
            try:
                entry = self._entry(record)
            except ValueError:
                broken += 1
                continue
            entries[entry.id] = entry
            assert isinstance(record, Record)
            attributes = {role: name or record.attribute(role) for role, name in attributes.items()}
        return Export(tuple(entries[id] for id in sorted(entries, reverse=True)), attributes, broken, cut)

    async def _read(
        self, path: str, parameters: Mapping[str, str], headers: Mapping[str, str] | None = None, *, page: bool = False
    ) -> _Answer:
        """A valid answer, after signing in if required. With `page`, an HTML page is accepted."""
        answer = await self._get(path, parameters, headers or {})
        if answer.wants_sign_in:
            await self._sign_in()
            answer = await self._get(path, parameters, headers or {})
        if 300 <= answer.status < 400:
            where = one_line(answer.headers.get("location", ""))[:200] or "without saying which"
            raise self._error("redirected", f"sends to another address: {where}", "Give the address of the logbook.")
        if answer.wants_sign_in:
            hint = "Check that this user may read the logbook."
            raise self._error("sign_in_refused", f"does not let {self._user!r} read it", hint)
        if answer.status == 404:
            raise self._error("no_logbook", "has no logbook", "Check the address: SERVER/LOGBOOK.")
        if answer.status >= 400:
            raise self._error("server_failed", f"answers with status {answer.status}")
        if answer.is_page and not page:
            if path.isdecimal():
                # A missing entry, on servers that report it with a page.
                return _Answer(answer.status, answer.headers, "")
            raise self._no_entries(answer)
        return answer

    def _no_entries(self, answer: _Answer) -> LogbookError:
        shown = one_line(redact(title_of(answer.text) if answer.is_page else answer.text[:60]))[:80]
        hint = "Check that this is the address of an ELOG logbook."
        return self._error("not_an_answer", f"sends something else than entries ({shown!r})", hint)

    def _error(self, code: str, problem: str, hint: str = "Try again later.") -> LogbookError:
        return LogbookError(code, f"{self.address} {problem}.", hint)

    async def _sign_in(self) -> None:
        if not (self._user and self._password):
            hint = f"Set {USER} and {PASSWORD} in the environment."
            raise self._error("sign_in_needed", "can only be read by those who sign in", hint)
        async with self._signing_in, self._client() as (client, transport):
            params = {"uname": self._user, "upassword": self._password}
            request = client.build_request("GET", f"{self.address}/", params=params)
            # Not by the client, which would log the address, and it contains the password.
            async with asyncio.timeout(_ANSWER):
                response = await transport.handle_async_request(request)
                await response.aclose()
            response.request = request
        if response.status_code not in (301, 302, 303):
            problem = f"refuses the user {self._user!r} or the password"
            raise self._error("sign_in_refused", problem, f"Check {USER} and {PASSWORD}.")
        self._cookies.extract_cookies(response)

    async def _get(self, path: str, parameters: Mapping[str, str], headers: Mapping[str, str]) -> _Answer:
        content, cut = bytearray(), ""
        async with self._client() as (client, _):
            asking = client.stream("GET", f"{self.address}/{path}", params=dict(parameters), headers=headers)
            try:
                async with asyncio.timeout(_ANSWER), asking as response:
                    if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
                        raise self._no_entries(_Answer(0, {}, "compressed, which was not requested"))
                    async for chunk in response.aiter_raw():
                        content += chunk[: MOST_BYTES - len(content)]
                        if len(content) >= MOST_BYTES:
                            cut = f"only the first {MOST_BYTES // 1024:,} KiB of the server's answer were read"
                            break
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.ReadTimeout, TimeoutError):
                # A partial answer is better than none.
                if not content:
                    raise
                cut = "the server's answer breaks off"
        return _Answer(response.status_code, response.headers, decode(bytes(content)), cut)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncHTTPTransport]]:
        """A client for one request, because these servers hang on persistent connections. Raises LogbookErrors."""
        transport = httpx.AsyncHTTPTransport(verify=_certificates() if self.address.startswith("https") else False)
        try:
            async with httpx.AsyncClient(
                transport=transport,
                cookies=self._cookies,
                timeout=httpx.Timeout(_READ, connect=_CONNECT),
                headers={"Accept-Encoding": "identity", "User-Agent": "graphwright"},
                follow_redirects=False,
            ) as client:
                yield client, transport
        except httpx.RemoteProtocolError as error:
            # No bytes were received, which has a meaning for one request: see `record`.
            message = f"{self.address} closes the connection without an answer."
            raise _Silent("no_answer", message, "Try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            slow = isinstance(error, httpx.TimeoutException | TimeoutError)
            why = one_line(redact(str(error)))[:200] or type(error).__name__
            problem = "does not answer" if slow else f"cannot be reached: {why}"
            raise self._error("no_answer", problem, "Check the address and the network, or try again later.") from error


@dataclass(frozen=True, slots=True)
class _Survey:
    """The information from the latest entries of a logbook: values, the attribute of each role, and the entries."""

    known: LogbookValues
    attributes: Mapping[str, str]
    latest: EntryIndex
    asked: float


class ElogServer:
    """A logbook on an ELOG server. `clock` returns the local time there."""

    def __init__(self, client: ElogClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._last_survey: _Survey | None = None
        self._silence: tuple[float, LogbookError] | None = None

    @property
    def name(self) -> str:
        return self._client.address

    @property
    def sample(self) -> bool:
        return False

    async def values(self) -> LogbookValues:
        return (await self._in_time(self._survey())).known

    async def search(self, wanted: SearchFilter, most: int) -> SearchResult:
        return await self._in_time(self._search(wanted, most))

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> SearchResult:
        return await self._in_time(self._thread(id, most, replies, parents))

    def close(self) -> None:
        """Does nothing: every request has a separate connection."""

    async def _search(self, wanted: SearchFilter, most: int) -> SearchResult:
        """Search in the given period, or in longer and longer ones until there are enough entries."""
        survey = await self._survey()
        words = _patterns(survey.latest.query(wanted.query))
        newest = wanted.until or self._clock().date()
        back = [newest.toordinal() - days for days in (_BACK if words or wanted.values else _BACK_FOR_ALL)]
        found = SearchResult((), 0)
        for since in [wanted.since] if wanted.since else [date.fromordinal(max(day, 1)) for day in back]:
            found, cut = await self._once(replace(wanted, since=since), survey, words, most)
            if not (cut or wanted.since):
                found = replace(found, notes=(*found.notes, f"Entries since {since} were searched."))
            # An answer for a longer period would also be cut.
            if (found.total >= most and not found.some) or (cut and found.total):
                break
        return found

    async def _once(
        self, wanted: SearchFilter, survey: _Survey, words: Sequence[str], most: int
    ) -> tuple[SearchResult, bool]:
        """One request: its result, and whether the answer was cut."""
        asked = dict(zip(("ya", "ma", "da"), str(wanted.since).split("-"), strict=True))
        if wanted.until is not None and wanted.until < date.max:
            # One day more, because the last day is checked here and not on the server.
            asked |= zip(("yb", "mb", "db"), str(wanted.until + timedelta(days=1)).split("-"), strict=True)
        if words:
            asked |= {"subtext": "|".join(words), "sall": "1"}
        for role, value in wanted.values.items():
            # Sent unchanged: an attribute with several options matches entries that contain the value, others match a
            # pattern. A value with pattern characters is correct for one of them only, and is checked only here.
            if survey.attributes[role] and not _PATTERN_SIGNS & set(value):
                asked[survey.attributes[role]] = value
        export = await self._client.export(asked)
        entries = export.entries
        found = await asyncio.to_thread(_ranked, entries, wanted, most)
        notes = list(found.notes)
        if export.cut:
            reached = f" It reached back to {min(each.moment for each in entries):%Y-%m-%d}." if entries else ""
            notes.append(f"The search is not complete: {export.cut}.{reached} Narrower dates help.")
        if export.broken:
            notes.append(f"Entries that could not be read: {export.broken}.")
        return replace(found, notes=tuple(notes)), bool(export.cut)

    async def _thread(self, id: int, most: int, replies: bool, parents: bool) -> SearchResult:
        failed: list[LogbookError] = []

        async def entry(each: int) -> Entry | None:
            try:
                return None if failed else await self._client.entry(each)
            except LogbookError as error:
                # The part that was read is more useful than an error.
                if each == id:
                    raise
                failed.append(error)
                return None

        thread = await gather(id, most, entry, replies=replies, parents=parents)
        notes = (f"The rest of the thread could not be read: {failed[0].message}",) if failed else ()
        return replace(thread, notes=(*notes, *thread.notes))

    async def _survey(self) -> _Survey:
        if self._last_survey is None or time.monotonic() - self._last_survey.asked > _KEPT:
            export = await self._client.export({}, path=f"last{_LATEST}")
            values = {role: by_frequency(Counter(getattr(each, role) for each in export.entries)) for role in ROLES}
            latest = await asyncio.to_thread(EntryIndex.of, export.entries)
            self._last_survey = _Survey(
                LogbookValues(values, complete=False), export.attributes, latest, time.monotonic()
            )
        return self._last_survey

    async def _in_time(self, work: Coroutine[Any, Any, T]) -> T:
        if self._silence and (left := self._silence[0] + _PAUSE - time.monotonic()) > 0:
            work.close()
            before = self._silence[1]
            message = f"{before.message} It is asked again in {max(1, round(left))} s."
            raise LogbookError(before.code, message, before.hint)
        try:
            async with asyncio.timeout(_SEARCH):
                return await work
        except TimeoutError:
            message = f"{self.name} took longer than {_SEARCH:g} s."
            raise LogbookError("too_slow", message, "Restrict the search, or try again later.") from None
        except LogbookError as error:
            if error.code == "no_answer":
                self._silence = time.monotonic(), error
            raise


@cache
def _certificates() -> ssl.SSLContext:
    # Created once: reading all certificates takes longer than a request.
    return httpx.create_ssl_context()


def _checked(address: str) -> str:
    """The address without its last slash. Raises LogbookError if it is not the address of a logbook."""
    try:
        url = httpx.URL(address.strip())
    except (httpx.InvalidURL, TypeError, UnicodeError):
        url = httpx.URL()
    if url.userinfo:
        message = f"The address of the logbook at {url.host} contains a user or a password."
        raise LogbookError("bad_address", message, f"Remove them, and set {USER} and {PASSWORD} in the environment.")
    if url.scheme not in ("http", "https") or not url.host or not url.path.strip("/"):
        hint = "Give its whole address, https: included, with the name of the logbook, such as elog.example/Logbook."
        raise LogbookError("bad_address", f"{redact(address)[:200]!r} is not the address of a logbook.", hint)
    return str(url.copy_with(query=None, fragment=None)).rstrip("/")


def _patterns(query: Query) -> list[str]:
    """Patterns for the words of a query. The server returns entries with any of them; they are ranked here.

    They have no special characters, and allow other endings of longer words. Since an accented letter may have any
    encoding, it is replaced by one or two arbitrary characters.
    """
    words = [word for word in query.written if len(word) > 1] or query.written
    kept = (word[: -(len(word) // 4)] if word.isalpha() and len(word) > 4 else word for word in words)
    return list(dict.fromkeys("".join(sign if sign.isascii() else "..?" for sign in word) for word in kept))


def _ranked(entries: Sequence[Entry], wanted: SearchFilter, most: int) -> SearchResult:
    found = EntryIndex.of(entries).search(wanted, most)
    # The index knows only replies among the fetched entries; the server returned all of them.
    by_id = {entry.id: entry for entry in entries}
    return replace(found, entries=tuple(by_id[entry.id] for entry in found.entries))
