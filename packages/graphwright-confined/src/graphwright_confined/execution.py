"""An execution as data: its limits, and its output, error, result and figures, all of which are untrusted."""

from __future__ import annotations

import json
import struct
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
    model_validator,
)

__all__ = ["Cell", "Column", "TableResult", "Result", "ImageFigure"]

MIB = 2**20
GIB = 2**30

LimitName = Literal["cpu", "wall", "memory", "threads", "descriptors", "output", "result"]


class ExecutionLimits(BaseModel):
    """The limits of an execution. An execution that reaches a limit ends, and names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu_seconds: Annotated[int, Field(ge=1, le=86_400)] = 10
    """Seconds of CPU time, on all cores together."""
    wall_seconds: Annotated[float, Field(gt=0, le=86_400)] = 30
    """Seconds of wall time, including the reading of the data."""
    memory: Annotated[int, Field(ge=16 * MIB)] = 2 * GIB
    """Bytes of address space, in addition to that of the loaded libraries."""
    threads: Annotated[int, Field(ge=1, le=16_384)] = 512
    """Concurrent threads. Other processes cannot be started at all."""
    descriptors: Annotated[int, Field(ge=64, le=65_536)] = 256
    """Concurrently open files."""
    output: Annotated[int, Field(ge=1)] = MIB
    """Bytes printed."""
    result: Annotated[int, Field(ge=1024, le=256 * MIB)] = 8 * MIB
    """Bytes of the returned result and figures."""
    rows: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """Returned rows of a table, and items of a list; the result has the total number."""

    def described(self, name: LimitName) -> str:
        """The limit in words: `30 s of wall time`."""
        return {
            "cpu": f"{self.cpu_seconds:,} s of CPU time",
            "wall": f"{self.wall_seconds:,.10g} s of wall time",
            "memory": f"{_size(self.memory)} of memory",
            "threads": f"{self.threads:,} threads",
            "descriptors": f"{self.descriptors:,} open files",
            "output": f"{_size(self.output)} of output",
            "result": f"{_size(self.result)} of result",
        }[name]


def _size(count: float) -> str:
    """A number of bytes in words: `2 GiB`, `1.5 MiB`, `300 bytes`."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"


Cell = StrictBool | StrictInt | StrictFloat | StrictStr | None
"""A value in JSON. A number that JSON cannot represent is the text `NaN`, `Infinity` or `-Infinity`."""

Kind = Literal[
    "boolean",
    "integer",
    "number",
    "text",
    "datetime",
    "date",
    "time",
    "duration",
    "decimal",
    "complex",
    "bytes",
    "category",
    "mixed",
]
"""The kind of a value. Values that JSON cannot represent are texts: dates and times as in ISO 8601."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NoResult(_Data):
    """The code has left no result."""

    type: Literal["none"] = "none"


class ScalarResult(_Data):
    """One value."""

    type: Literal["scalar"] = "scalar"
    kind: Kind
    value: Cell
    """None if it is missing (`NaN` of a data frame, `NaT`, `NA`)."""


class TextResult(_Data):
    """A text, or the representation of an object."""

    type: Literal["text"] = "text"
    text: StrictStr
    length: Annotated[StrictInt, Field(ge=0)]
    """The number of characters; the text may be cut."""


class Column(_Data):
    """A column of a table. Names may occur twice."""

    name: StrictStr
    kind: Kind


class TableResult(_Data):
    """A data frame or a series, cut to some rows and columns."""

    type: Literal["table"] = "table"
    columns: list[Column]
    index: Annotated[StrictInt, Field(ge=0)] = 0
    """The number of first columns that are the index; 0 if it is only a row number."""
    rows: list[list[Cell]]
    """A missing value is None."""
    row_count: Annotated[StrictInt, Field(ge=0)]
    """The total number of rows."""
    column_count: Annotated[StrictInt, Field(ge=0)]
    """The total number of columns, including the index."""

    @model_validator(mode="after")
    def _rectangular(self) -> TableResult:
        width = len(self.columns)
        if any(len(row) != width for row in self.rows):
            raise ValueError("a row is not as wide as the table")
        if self.row_count < len(self.rows) or self.column_count < width or self.index > width:
            raise ValueError("the table is larger than it says")
        return self

    @property
    def cut(self) -> bool:
        """Whether some rows or columns were not returned."""
        return self.row_count > len(self.rows) or self.column_count > len(self.columns)


class Entry(_Data):
    """An entry of a mapping."""

    key: StrictStr
    value: Result


class MappingResult(_Data):
    """A dict, in its order."""

    type: Literal["mapping"] = "mapping"
    entries: list[Entry]
    length: Annotated[StrictInt, Field(ge=0)]
    """The total number of entries."""


class ListResult(_Data):
    """A list, a tuple, a set or an array of one dimension."""

    type: Literal["list"] = "list"
    items: list[Result]
    length: Annotated[StrictInt, Field(ge=0)]
    """The total number of items."""


Result = Annotated[
    NoResult | ScalarResult | TextResult | TableResult | MappingResult | ListResult, Field(discriminator="type")
]

Entry.model_rebuild()
MappingResult.model_rebuild()
ListResult.model_rebuild()


class PlotlyFigure(_Data):
    """A Plotly figure in the form of `fig.to_json`: `{data, layout}`."""

    type: Literal["plotly"] = "plotly"
    figure: dict[str, Any]

    @field_validator("figure")
    @classmethod
    def _shaped(cls, figure: dict[str, Any]) -> dict[str, Any]:
        data, frames = figure.get("data", []), figure.get("frames", [])
        objects = all(
            isinstance(part, list) and all(isinstance(each, dict) for each in part) for part in (data, frames)
        )
        if not objects or not isinstance(figure.get("layout", {}), dict):
            raise ValueError("a part of a Plotly figure has another form")
        if figure.keys() - {"data", "layout", "frames"}:
            raise ValueError("a Plotly figure has data, layout and frames, and nothing else")
        if any(not isinstance(trace.get("type", "scatter"), str) for trace in data):
            raise ValueError("the type of a trace is not a text")
        return figure


class ImageFigure(_Data):
    """A picture as PNG, for example from Matplotlib; base64 in JSON."""

    type: Literal["png"] = "png"
    png: Base64Bytes
    width: Annotated[StrictInt, Field(ge=1)]
    height: Annotated[StrictInt, Field(ge=1)]

    @model_validator(mode="after")
    def _is_png(self) -> ImageFigure:
        if png_size(self.png) != (self.width, self.height):
            raise ValueError("the picture has another size")
        return self


Figure = Annotated[PlotlyFigure | ImageFigure, Field(discriminator="type")]

MOST_FIGURES = 20
_MOST_PIXELS = 50_000_000
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\0\0\0\0IEND\xaeB`\x82"


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG of a size that can be shown. Raises ValueError for anything else.

    Only its beginning and its end are checked: its pixels may be damaged.
    """
    if len(png) < 45 or not png.startswith(_PNG_START) or png.find(_PNG_END) != len(png) - len(_PNG_END):
        raise ValueError("the picture is no PNG")
    width, height = struct.unpack_from(">II", png, len(_PNG_START))
    if not 0 < width * height <= _MOST_PIXELS:
        raise ValueError("the picture is too large")
    return width, height


class CodeError(_Data):
    """An error of the code, with lines of the code alone, not of its libraries."""

    type: StrictStr
    """The name of the exception's class; `Stopped` if the code was ended from outside."""
    message: StrictStr
    line: StrictInt | None = None
    """The line of the code, counted from 1."""
    source: StrictStr = ""
    """That line."""
    traceback: list[StrictStr] = []
    """The calls in the code that led to the error, outermost first: `line 3, in totals: return df["x"].sum()`."""
    hint: StrictStr = ""
    """The restriction of the sandbox, if that is the cause."""


class MalformedReport(Exception):
    """A report that the program in the sandbox would not write; the message is the reason."""


class Report(_Data):
    """The only message that leaves the sandbox. The program in it writes it, and the code may have forged it."""

    status: Literal["ok", "error", "limit"]
    limit: Literal["memory", "threads", "descriptors", "result"] | None = None
    error: CodeError | None = None
    result: Result = NoResult()
    figures: Annotated[list[Figure], Field(max_length=MOST_FIGURES)] = []
    taken: list[StrictStr] = []

    @model_validator(mode="after")
    def _consistent(self) -> Report:
        if (self.status == "error") != (self.error is not None) or (self.status == "limit") != (self.limit is not None):
            raise ValueError("the status does not fit the rest")
        return self

    @classmethod
    def parse(cls, text: bytes) -> Report:
        """The report in a JSON text. Raises MalformedReport, also for a text that could harm its reader."""
        if text.count(b"[") + text.count(b"{") > _MOST_CONTAINERS:
            raise MalformedReport("its result has too many parts")
        try:
            return cls.model_validate(json.loads(text.decode("utf-8"), parse_constant=_refuse, parse_int=_integer))
        except RecursionError:
            raise MalformedReport("its result is nested too deeply") from None
        except ValidationError:
            raise MalformedReport("its result has a form that no result has") from None
        except ValueError:
            raise MalformedReport("its result is no JSON") from None


_MOST_CONTAINERS = 1_000_000
"""Lists and objects of a report: each needs many times the memory of its two brackets in the text."""

_LONGEST_INTEGER = 1_000


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise MalformedReport("its result has a number that is too long")
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise MalformedReport(f"its result has {constant}, which is no JSON")


class Execution(_Data):
    """A finished execution of code in the sandbox: its status, output and results."""

    status: Literal["ok", "error", "stopped"]
    """`ok`: it ran to its end. `error`: it raised. `stopped`: it was ended, at a limit or for breaking the rules."""
    stdout: str
    """Its output on stdout and stderr."""
    error: CodeError | None
    """None if the status is `ok`."""
    result: Result
    figures: list[Figure]
    taken: list[str] = []
    """The ids of the data sets that it read from `datasets` or named in `sql`; others may be behind `df`."""
    isolation: str
    """The isolation level: `bwrap+landlock+seccomp` or `landlock+seccomp`."""
    limit: str | None
    """The limit that it reached, in words: `30 s of wall time`."""
    seconds: float
    """Wall time in seconds, from its start."""
