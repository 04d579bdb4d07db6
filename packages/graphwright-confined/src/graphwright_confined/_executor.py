"""`Sandbox`: the only place where generated Python runs."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import stat
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from graphwright.errors import UsageError
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined._isolation_levels import select_level
from graphwright_confined._verification import verify_isolation
from graphwright_confined._worker import Outcome, Worker, WorkerLost, supervise
from graphwright_confined.execution import CodeError, Execution, ExecutionLimits, Report
from graphwright_confined.zygote._server import MOST_DATA
from graphwright_confined.zygote.libraries import mentioned

RUNS = 200
"""The number of executions after which a warm process is replaced."""

MOST_CODE = 2**20


class Sandbox:
    """Runs untrusted Python, one execution at a time, each in a new child of a warm process.

    No process is started before the first `run`. From the second `run` on, a second warm process is ready, so that the
    first can be replaced without waiting; it needs the memory of the loaded libraries again. Threads that use it wait
    for each other. It ends with `close`, at the end of a `with` block and at the end of this process.

    `isolation` is the name of one of `isolation_levels`; the default is the strongest available level.
    """

    def __init__(self, limits: ExecutionLimits | None = None, *, isolation: str | None = None) -> None:
        self._limits = limits or ExecutionLimits()
        self._requested = isolation
        self._isolation: str | None = None
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._spare: Worker | None = None
        self._owner = os.getpid()
        self._runs = 0
        atexit.register(self.close)

    def run(
        self,
        code: str,
        data: Mapping[str, str | Path] | None = None,
        limits: ExecutionLimits | None = None,
        *,
        lazy: Collection[str] = (),
    ) -> Execution:
        """Run this code over these files and return the execution; errors of the code are part of it, not raised.

        `data` maps ids to Parquet files. The code has data frames in `datasets[id]`, and in `df` if there is only one,
        and queries them with `sql`. Those with an id in `lazy`, too large for memory, are DuckDB relations instead, and
        `samples[id]` has some of their rows. The values that the code leaves in `fig` and `result` are returned.

        Raises UsageError if a file cannot be opened, and SandboxUnavailable if code cannot be isolated here.
        """
        limits = limits or self._limits
        if len(code.encode("utf-8", "replace")) > MOST_CODE:
            raise UsageError("code_too_long", "The code is longer than 1 MiB.", "Put the data into files.")
        with ExitStack() as opened, self._lock:
            files = _open_data(data or {}, opened)
            return self._execute(self._verified(), code, limits, files, [name for name in files if name in lazy])

    async def arun(
        self,
        code: str,
        data: Mapping[str, str | Path] | None = None,
        limits: ExecutionLimits | None = None,
        *,
        lazy: Collection[str] = (),
    ) -> Execution:
        """`run` in a separate thread."""
        return await asyncio.to_thread(self.run, code, data, limits, lazy=lazy)

    def self_test(self) -> str:
        """Try to escape in the way that all code is run, and return the verified isolation.

        Raises SandboxUnavailable if an escape succeeds.
        """
        with self._lock:
            self._isolation = None
            return self._verified()

    def close(self) -> None:
        """End the warm processes. Idempotent; a later `run` starts again."""
        if self._owner == os.getpid():
            for worker in (self._worker, self._spare):
                if worker is not None:
                    worker.close()
        self._worker = self._spare = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        atexit.unregister(self.close)

    def _verified(self) -> str:
        """The isolation, after the self-test has passed."""
        if self._owner != os.getpid():
            # A fork must not use the processes of its parent.
            self._worker, self._spare, self._owner = None, None, os.getpid()
        if self._isolation is None:
            isolation = select_level(self._requested)
            verify_isolation(isolation, lambda code: self._execute(isolation, code, ExecutionLimits()))
            self._isolation, self._runs = isolation, 0
        return self._isolation

    def _execute(
        self,
        isolation: str,
        code: str,
        limits: ExecutionLimits,
        files: Mapping[str, int] | None = None,
        lazy: Sequence[str] = (),
    ) -> Execution:
        files = files or {}
        request = {"code": code, "datasets": list(files), "lazy": list(lazy), "memory": limits.memory}
        request |= {"rows": limits.rows, "most": limits.result}
        settings = {
            "libraries": [*mentioned(code), *(["readers"] if files else []), *(["duckdb"] if lazy else [])],
            **limits.model_dump(include={"cpu_seconds", "memory", "threads", "descriptors"}),
        }
        for _ in range(2):
            worker = self._worker = self._worker or self._spare or Worker(isolation)
            self._spare = None if worker is self._spare else self._spare
            try:
                outcome = supervise(worker, settings, json.dumps(request).encode(), list(files.values()), limits)
            except WorkerLost:
                # It ended while it waited, before it read the code: another worker can run it.
                self._discard_worker()
                continue
            except BaseException:
                # The state of the worker is unknown.
                self._discard_worker()
                raise
            self._runs += 1
            if not outcome.reusable or worker.runs >= RUNS:
                self._discard_worker()
            if self._runs >= 2 and self._spare is None:
                self._spare = Worker(isolation)
            return _execution(outcome, isolation, limits)
        raise SandboxUnavailable(
            "start", "The process for generated code ends again and again.", "Try graphwright doctor."
        )

    def _discard_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker = None


def _open_data(data: Mapping[str, str | Path], stack: ExitStack) -> dict[str, int]:
    """The descriptors of the files of the data sets, which the stack closes. Raises UsageError."""
    if len(data) > MOST_DATA:
        raise UsageError("too_many_datasets", f"{len(data):,} data sets are more than {MOST_DATA}.", "Give fewer.")
    files = {}
    for name, path in data.items():
        try:
            # Without O_NONBLOCK this would wait for the writer of a pipe.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise UsageError("data_missing", f"{path}: {error.strerror}.", "Name a file that can be read.") from None
        stack.callback(os.close, descriptor)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError("data_missing", f"{path} is not a file.", "Name a file that can be read.")
        files[name] = descriptor
    return files


def _execution(outcome: Outcome, isolation: str, limits: ExecutionLimits) -> Execution:
    limit = limits.described(outcome.limit) if outcome.limit else None
    report = outcome.report
    if limit or report is None:
        reason = f" at {limit}" if limit else f": {outcome.problem}"
        error = CodeError(type="Stopped", message=f"The code was stopped{reason}.")
        report = Report(status="error", error=error)
    return Execution(
        status="stopped" if report is not outcome.report else "error" if report.error else "ok",
        stdout=outcome.stdout,
        error=report.error,
        result=report.result,
        figures=report.figures,
        taken=report.taken,
        isolation=isolation,
        limit=limit,
        seconds=outcome.seconds,
    )
