"""`Sandbox`: the only place where generated Python runs."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import stat
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from graphwright.errors import UsageError
from graphwright.sandbox import tiers
from graphwright.sandbox.attending import Ended, attend
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.execution import CodeError, Execution, NoResult, Told
from graphwright.sandbox.frame import Forged, read
from graphwright.sandbox.limits import ExecutionLimits
from graphwright.sandbox.proving import prove
from graphwright.sandbox.worker import Lost, Worker
from graphwright.sandbox.zygote.datasets import FORMATS
from graphwright.sandbox.zygote.forking import MOST_DATA
from graphwright.sandbox.zygote.libraries import mentioned

RUNS = 200
"""Executions after which a warm process is replaced."""

MOST_CODE = 2**20


class Sandbox:
    """Runs Python that nobody trusts, one execution at a time, each in a fresh child of a warm process.

    Nothing is started before the first `run`. A second warm process stands by from the second one on, so that the
    first can be replaced at no cost; that takes the memory of the loaded libraries once more. May be used by several
    threads: each waits for its turn. `close` ends it; so do the end of a `with` block and the end of this process.

    `isolation` asks for one of the ways of `tiers.tiers`; without, it is the strongest there is.
    """

    def __init__(self, limits: ExecutionLimits | None = None, *, isolation: str | None = None) -> None:
        self._limits = limits or ExecutionLimits()
        self._asked_isolation = isolation
        self._isolation: str | None = None
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._spare: Worker | None = None
        self._owner = os.getpid()
        self._runs = 0
        atexit.register(self.close)

    def run(
        self, code: str, data: Mapping[str, str | Path] | None = None, limits: ExecutionLimits | None = None
    ) -> Execution:
        """Run this code over these files, and give what came of it; what the code does wrong is told, not raised.

        `data` are Parquet, Arrow, CSV, TSV or JSON files by the id that the code knows them by: it finds data frames
        in `datasets[id]`, and in `df` where there is one. What it leaves in `fig` and `result` comes back.

        Raises UsageError where a file cannot be opened or is of no known kind, and SandboxUnavailable where code cannot
        be isolated on this machine.
        """
        limits = limits or self._limits
        if len(code.encode("utf-8", "replace")) > MOST_CODE:
            raise UsageError("code_too_long", "The code is longer than 1 MiB.", "Put the data into files.")
        with ExitStack() as opened, self._lock:
            datasets, descriptors = _opened(data or {}, opened)
            isolation = self._proved()
            request = {"code": code, "datasets": datasets, "rows": limits.rows, "most": limits.result}
            libraries = [*mentioned(code), *(["readers"] if datasets else [])]
            ended = self._attended(isolation, request, libraries, descriptors, limits)
        return _execution(ended, isolation, limits)

    async def arun(
        self, code: str, data: Mapping[str, str | Path] | None = None, limits: ExecutionLimits | None = None
    ) -> Execution:
        """`run` in a thread of its own."""
        return await asyncio.to_thread(self.run, code, data, limits)

    def self_test(self) -> str:
        """Try to escape, by the very way that all code takes, and give the isolation that held.

        Raises SandboxUnavailable where an escape succeeds.
        """
        with self._lock:
            self._isolation = None
            return self._proved(anew=True)

    def close(self) -> None:
        """End the warm processes. May be called twice; a later `run` starts anew."""
        if self._owner == os.getpid():
            for worker in (self._worker, self._spare):
                if worker is not None:
                    worker.close()
        self._worker = self._spare = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        atexit.unregister(self.close)

    def _proved(self, *, anew: bool = False) -> str:
        """The isolation, once it has been seen to hold."""
        if self._owner != os.getpid():
            self._worker, self._spare, self._owner = None, None, os.getpid()
        if self._isolation is None:
            isolation = tiers.chosen(self._asked_isolation)

            def trial(code: str) -> Execution:
                limits = ExecutionLimits()
                request = {"code": code, "datasets": [], "rows": 100, "most": limits.result}
                return _execution(self._attended(isolation, request, [], [], limits), isolation, limits)

            prove(isolation, trial, anew=anew)
            self._isolation = isolation
        return self._isolation

    def _attended(
        self,
        isolation: str,
        request: dict[str, object],
        libraries: list[str],
        descriptors: list[int],
        limits: ExecutionLimits,
    ) -> Ended:
        asked = {
            "libraries": libraries,
            **limits.model_dump(include={"cpu_seconds", "memory", "threads", "descriptors", "disk", "files"}),
        }
        text = json.dumps(request).encode()
        for attempt in (1, 2):
            worker = self._ready_worker(isolation, limits.disk)
            try:
                ended = attend(worker, asked, text, descriptors, limits)
            except Lost:
                # It had ended while it waited, before it took the code: another one can.
                self._replace()
                if attempt == 2:
                    raise SandboxUnavailable(
                        "start", "the process for generated code ends again and again.", "Try graphwright doctor."
                    ) from None
                continue
            except BaseException:
                # Nobody knows what it is doing now.
                self._replace()
                raise
            self._runs += 1
            if not ended.sound or worker.runs >= RUNS:
                self._replace()
            if self._runs >= 2 and self._spare is None:
                self._spare = Worker(isolation, limits.disk)
            return ended
        raise AssertionError

    def _ready_worker(self, isolation: str, disk: int) -> Worker:
        if self._worker is not None and self._worker.disk != disk:
            self._replace()
        if self._worker is None and self._spare is not None:
            self._worker, self._spare = self._spare, None
            if self._worker.disk != disk:
                self._replace()
        if self._worker is None:
            self._worker = Worker(isolation, disk)
        return self._worker

    def _replace(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker = None


def _opened(data: Mapping[str, str | Path], opened: ExitStack) -> tuple[list[list[str]], list[int]]:
    """The data sets as `[[id, format]]`, and their files, open. Raises UsageError."""
    if len(data) > MOST_DATA:
        raise UsageError("too_many_datasets", f"{len(data):,} data sets are more than {MOST_DATA}.", "Give fewer.")
    datasets, descriptors = [], []
    for name, place in data.items():
        path = Path(place)
        format = FORMATS.get(path.suffix.lower())
        if format is None:
            raise UsageError(
                "data_unknown", f"{path}: what kind of data this is cannot be told.", f"Use {', '.join(FORMATS)}."
            )
        try:
            # A pipe without a writer would be waited for.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise UsageError("data_missing", f"{path}: {error.strerror}.", "Name a file that can be read.") from None
        opened.callback(os.close, descriptor)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError("data_missing", f"{path} is no file.", "Name a file that can be read.")
        datasets.append([name, format])
        descriptors.append(descriptor)
    return datasets, descriptors


def _execution(ended: Ended, isolation: str, limits: ExecutionLimits) -> Execution:
    """What came of it, once what the sandbox says of itself was found to be sound."""
    stopped, limit = ended.said, ended.limit
    told: Told | None = None
    if ended.payload is not None:
        try:
            told = Told.model_validate(read(ended.payload))
        except Forged as error:
            stopped = str(error)
        except ValidationError:
            stopped = "its result is none that it could have given by right"
        else:
            limit = told.over
    if told is not None and told.status != "over":
        return Execution(
            status=told.status,
            stdout=ended.stdout,
            error=told.error,
            result=told.result,
            figures=told.figures,
            isolation=isolation,
            limit=None,
            seconds=ended.seconds,
        )
    named = limits.described(limit) if limit else None
    message = f"The code was stopped at {named}." if named else f"The code was stopped: {stopped}."
    return Execution(
        status="stopped",
        stdout=ended.stdout,
        error=CodeError(type="Stopped", message=message),
        result=NoResult(),
        figures=[],
        isolation=isolation,
        limit=named,
        seconds=ended.seconds,
    )
