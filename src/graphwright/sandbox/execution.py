"""What an execution comes to: its status, output, error, result and figures. All of it is untrusted text and data."""

from __future__ import annotations

import struct
import zlib
from typing import Annotated, Any, Literal

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    field_validator,
    model_validator,
)

Cell = StrictBool | StrictInt | StrictFloat | StrictStr | None
"""A value in JSON. A number that JSON has no word for is the text `NaN`, `Infinity` or `-Infinity`."""

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
"""What the values are. Those that JSON has no form for are texts: dates and times as in ISO 8601."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NoResult(_Data):
    """There is no result."""

    type: Literal["none"] = "none"


class ScalarResult(_Data):
    """One value."""

    type: Literal["scalar"] = "scalar"
    kind: Kind
    value: Cell
    """None where it is missing (`NaN` of a data frame, `NaT`, `NA`)."""


class TextResult(_Data):
    """A text, or what an object says of itself."""

    type: Literal["text"] = "text"
    text: StrictStr
    length: Annotated[StrictInt, Field(ge=0)]
    """The characters there are; the text may be cut."""


class Column(_Data):
    """A column of a table. Names may occur twice."""

    name: StrictStr
    kind: Kind


class TableResult(_Data):
    """A data frame or a series, cut to some rows and columns."""

    type: Literal["table"] = "table"
    columns: list[Column]
    index: Annotated[StrictInt, Field(ge=0)] = 0
    """How many of the first columns are the index; 0 where it is a mere numbering."""
    rows: list[list[Cell]]
    """A value that is missing is None."""
    row_count: Annotated[StrictInt, Field(ge=0)]
    """The rows there are."""
    column_count: Annotated[StrictInt, Field(ge=0)]
    """The columns there are, the index included."""

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
        """Whether there is more than what came back."""
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
    """The entries there are."""


class ListResult(_Data):
    """A list, a tuple, a set or an array of one dimension."""

    type: Literal["list"] = "list"
    items: list[Result]
    length: Annotated[StrictInt, Field(ge=0)]
    """The items there are."""


Result = Annotated[
    NoResult | ScalarResult | TextResult | TableResult | MappingResult | ListResult, Field(discriminator="type")
]

Entry.model_rebuild()
MappingResult.model_rebuild()
ListResult.model_rebuild()


class PlotlyFigure(_Data):
    """A Plotly figure as `fig.to_json` gives it: `{data, layout}`."""

    type: Literal["plotly"] = "plotly"
    figure: dict[str, Any]

    @field_validator("figure")
    @classmethod
    def _shaped(cls, figure: dict[str, Any]) -> dict[str, Any]:
        if not figure.keys() <= {"data", "layout", "frames"}:
            raise ValueError("a Plotly figure has data, layout and frames, and nothing else")
        for name, wanted in (("data", list), ("layout", dict), ("frames", list)):
            if not isinstance(figure.get(name, wanted()), wanted):
                raise ValueError(f"the {name} of a Plotly figure is no {wanted.__name__}")
        if any(not isinstance(each, dict) for name in ("data", "frames") for each in figure.get(name, ())):
            raise ValueError("a trace of a Plotly figure is no object")
        if any(not isinstance(trace.get("type", "scatter"), str) for trace in figure.get("data", ())):
            raise ValueError("the type of a trace is no text")
        return figure


class ImageFigure(_Data):
    """A picture as PNG, such as Matplotlib draws; base64 in JSON."""

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
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG of a size that can be shown; raises ValueError for anything else."""
    if not png.startswith(_SIGNATURE):
        raise ValueError("the picture is no PNG")
    place, size = len(_SIGNATURE), (0, 0)
    names: list[bytes] = []
    while place + 12 <= len(png):
        length, name = struct.unpack_from(">I4s", png, place)
        end = place + 8 + length
        if end + 4 > len(png) or zlib.crc32(png[place + 4 : end]) != struct.unpack_from(">I", png, end)[0]:
            raise ValueError("the picture is damaged")
        if not names:
            if name != b"IHDR" or length != 13:
                raise ValueError("the picture has no size")
            size = struct.unpack_from(">II", png, place + 8)
        names.append(name)
        place = end + 4
    if place != len(png) or not names or names[-1] != b"IEND":
        raise ValueError("the picture does not end")
    if not 0 < size[0] * size[1] <= _MOST_PIXELS:
        raise ValueError("the picture is too large")
    return size


class CodeError(_Data):
    """What went wrong in the code. The lines are those of the code alone, without its libraries."""

    type: StrictStr
    """The name of the exception's class; `Stopped` where the code was ended from outside."""
    message: StrictStr
    line: StrictInt | None = None
    """The line of the code, counted from 1."""
    source: StrictStr = ""
    """That line."""
    traceback: list[StrictStr] = []
    """The way there through the code, outermost first: `line 3, in totals: return df["x"].sum()`."""
    hint: StrictStr = ""
    """What is different in here, where that is the cause."""


class Told(_Data):
    """What comes out of the sandbox: what the program in there says, and code in there may have forged."""

    status: Literal["ok", "error", "over"]
    over: Literal["memory", "threads", "descriptors", "result", "disk"] | None = None
    error: CodeError | None = None
    result: Result = NoResult()
    figures: Annotated[list[Figure], Field(max_length=MOST_FIGURES)] = []

    @model_validator(mode="after")
    def _agrees(self) -> Told:
        if (self.status == "error") != (self.error is not None) or (self.status == "over") != (self.over is not None):
            raise ValueError("the status does not fit the rest")
        return self


class Execution(_Data):
    """What came of code that ran in the sandbox."""

    status: Literal["ok", "error", "stopped"]
    """`ok`: it ran to its end. `error`: it raised. `stopped`: it was ended, at a limit or for breaking the rules."""
    stdout: str
    """What it printed, on stdout and stderr."""
    error: CodeError | None
    """None where the status is `ok`."""
    result: Result
    figures: list[Figure]
    isolation: str
    """What held it: `bwrap+landlock+seccomp`, `landlock+seccomp` or `seatbelt`."""
    limit: str | None
    """The limit that it hit, as people read it: `30 s of wall time`."""
    seconds: float
    """Wall time, from the moment it began."""
