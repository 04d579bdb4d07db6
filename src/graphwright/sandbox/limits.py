"""The limits of an execution: how much code may take, and how people read that."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MIB = 2**20
GIB = 2**30

LimitName = Literal["cpu", "wall", "memory", "threads", "descriptors", "output", "result", "disk", "files"]


class ExecutionLimits(BaseModel):
    """How much an execution may take. Every limit that is hit ends it, and is named in the outcome."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu_seconds: Annotated[int, Field(ge=1, le=86_400)] = 10
    """Seconds of computing, on all cores together."""
    wall_seconds: Annotated[float, Field(gt=0, le=86_400)] = 30
    """Seconds that pass, the reading of the data included."""
    memory: Annotated[int, Field(ge=16 * MIB)] = 2 * GIB
    """Bytes of address space, beside what the loaded libraries take."""
    threads: Annotated[int, Field(ge=1, le=16_384)] = 512
    """Threads at once. Other processes cannot be started at all."""
    descriptors: Annotated[int, Field(ge=64, le=65_536)] = 256
    """Files open at once."""
    output: Annotated[int, Field(ge=1)] = MIB
    """Bytes printed."""
    result: Annotated[int, Field(ge=1024, le=256 * MIB)] = 8 * MIB
    """Bytes of the result and the figures, as they come back."""
    disk: Annotated[int, Field(ge=0)] = 0
    """Bytes that may be written to the working folder; 0: no file can be written at all."""
    files: Annotated[int, Field(ge=1)] = 2_000
    """Files and folders that may be made there."""
    rows: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """Rows of a table, and items of a list, that come back; how many there are is always told."""

    def described(self, name: LimitName) -> str:
        """The limit as people read it: `30 s of wall time`."""
        match name:
            case "cpu":
                return f"{self.cpu_seconds:,} s of CPU time"
            case "wall":
                return f"{self.wall_seconds:,.10g} s of wall time"
            case "memory":
                return f"{size(self.memory)} of memory"
            case "threads":
                return f"{self.threads:,} threads"
            case "descriptors":
                return f"{self.descriptors:,} open files"
            case "output":
                return f"{size(self.output)} of output"
            case "result":
                return f"{size(self.result)} of result"
            case "disk":
                return f"{size(self.disk)} of disk"
            case "files":
                return f"{self.files:,} files"


def size(count: float) -> str:
    """Bytes as people read them: `2 GiB`, `1.5 MiB`, `300 bytes`."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"
